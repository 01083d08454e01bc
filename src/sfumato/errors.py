"""Every exception Sfumato raises, in one tree.

SfumatoError
├── InvalidParameter (ValueError)   a parameter that no mechanism could honour
├── BudgetExceeded                  an event that the budget does not admit; nothing was spent
├── Halted                          an interactive mechanism that has given all it was priced for
├── InvalidDeclaration (ValueError)  an owner's declaration that cannot be honoured
├── InvalidQuestion (ValueError)    a question that is not answered, with its clause and position; nothing was spent
├── Locked                          too many questions have failed; nothing was spent, and the owner must look
├── EngineFailed                    the engine did not finish; the charge stays, and the text is the same for all data
├── BrokenAudit                     the auditor's controls came out wrong, so it reports nothing
├── MissingExtra                    an optional library that is not installed
├── Unsupported                     a system that lacks what is needed; nothing was done without it
├── LedgerError                     the ledger did not do what was asked
│   ├── LedgerMisuse (ValueError)   a request that no state of the ledger would grant, or this one does not
│   ├── LedgerUnavailable           the store failed, is busy, or was opened before a fork; nothing was acknowledged
│   └── LedgerDamaged               the chain, the state kept beside it or the anchor disagree
│       └── LedgerRolledBack        an older copy was put back
└── BrokenRandomness (RuntimeError) the bit source or the platform's float functions cannot be trusted

An error says the problem and the value in the caller's words, then a hint after a blank line. What programs are told of
it is in one table at the end of the file: a code that never changes, and how each door says it.
"""

from typing import Any, NamedTuple

_SHOWN = 60


def shown(value: object) -> str:
    """A value as an error shows it: short, on one line, and never itself a cause of failure."""
    try:
        text = repr(value)
    except Exception:  # a foreign repr may fail in any way, and integers of over 4 300 digits do
        text = f"a {type(value).__name__} too long to show"
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


class SfumatoError(Exception):
    """The root of all errors Sfumato raises; `hint` says what to do about it."""

    def __init__(self, problem: str, *, hint: str = "") -> None:
        self.problem = problem
        self.hint = hint
        super().__init__(f"{problem}\n\nhint: {hint}" if hint else problem)

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), self.args, self.__dict__)


def _revive(kind: type[SfumatoError], args: tuple[Any, ...], state: dict[str, Any]) -> SfumatoError:
    """An error carried over from another process, where its own constructor's words are gone."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class InvalidParameter(SfumatoError, ValueError):
    """A parameter outside what the mechanism is defined for; nothing was drawn and nothing was spent.

    >>> raise InvalidParameter("scale", "must be positive", -1)
    Traceback (most recent call last):
        ...
    sfumato.errors.InvalidParameter: scale must be positive: -1
    """

    def __init__(self, name: str, requirement: str, value: object, *, hint: str = "") -> None:
        self.name = name
        super().__init__(f"{name} {requirement}: {shown(value)}", hint=hint)


class BudgetExceeded(SfumatoError):
    """An event that the budget does not admit; nothing was drawn and nothing was spent.

    `shortfalls` holds a record for every budget that refuses, where it is known: whose, what it costs, what is left.
    """

    def __init__(self, problem: str, *, hint: str = "", shortfalls: tuple[Any, ...] = ()) -> None:
        self.shortfalls = shortfalls
        super().__init__(problem, hint=hint)


class Halted(SfumatoError):
    """A question to an interactive mechanism that has given every answer its price covers; nothing was drawn."""


class InvalidDeclaration(SfumatoError, ValueError):
    """A declaration that does not say what a curator must know."""


class InvalidQuestion(SfumatoError, ValueError):
    """A question that is refused before anything is read; `line` and `column` say where, from 1 on."""

    def __init__(self, problem: str, *, line: int | None = None, column: int | None = None, hint: str = "") -> None:
        self.line, self.column = line, column
        where = f" (line {line}, column {column})" if line is not None and column is not None else ""
        super().__init__(f"{problem}{where}", hint=hint)


class Locked(SfumatoError):
    """Too many questions of an analyst, or on a dataset, have failed; nothing was spent."""


class EngineFailed(SfumatoError):
    """The engine did not finish; what was charged stays charged."""


class BrokenAudit(SfumatoError):
    """The auditor did not convict a broken control or convicted a sound one; nothing is reported."""


class MissingExtra(SfumatoError):
    """A library that only this feature needs is not installed."""

    def __init__(self, what: str, library: str, extra: str) -> None:
        super().__init__(f"{what} needs {library}, which is not installed", hint=f"pip install 'sfumato[{extra}]'")


class Unsupported(SfumatoError):
    """The system lacks what a feature needs, and the feature is refused instead of done without it."""


class LedgerError(SfumatoError):
    """The ledger did not do what was asked."""


class LedgerMisuse(LedgerError, ValueError):
    """A request that does not fit what the ledger holds; nothing was written."""


class LedgerUnavailable(LedgerError):
    """The store failed or is busy; nothing was acknowledged, and what was in doubt counts as spent."""


class LedgerDamaged(LedgerError):
    """The entries, the state kept beside them or the anchor do not agree."""


class LedgerRolledBack(LedgerDamaged):
    """The ledger is older than its anchor: an older copy was put back, or the newest entries are gone."""


class BrokenRandomness(SfumatoError, RuntimeError):
    """The source of bits or the platform's arithmetic broke its promise, so no noise is handed out."""


class Outcome(NamedTuple):
    """What an error is to a program, whichever door it came through."""

    code: str
    """Its name in JSON and logs; once released it never changes."""
    exit: int
    """The exit status of a command: 2 for words that mean nothing, 3 for a refusal, 4 for a failure."""
    http: int
    sqlstate: str


OUTCOMES: dict[type[SfumatoError], Outcome] = {
    SfumatoError: Outcome("error", 3, 500, "XX000"),
    InvalidParameter: Outcome("invalid_parameter", 2, 400, "22023"),
    BudgetExceeded: Outcome("budget_exceeded", 3, 402, "53400"),
    Halted: Outcome("halted", 3, 409, "55000"),
    InvalidDeclaration: Outcome("invalid_declaration", 3, 422, "F0000"),
    InvalidQuestion: Outcome("invalid_question", 3, 400, "42601"),
    Locked: Outcome("locked", 3, 423, "55006"),
    EngineFailed: Outcome("engine_failed", 4, 500, "58000"),
    BrokenAudit: Outcome("broken_audit", 4, 500, "XX000"),
    MissingExtra: Outcome("missing_extra", 4, 501, "0A000"),
    Unsupported: Outcome("unsupported", 4, 501, "0A000"),
    LedgerError: Outcome("ledger_error", 3, 500, "XX000"),
    LedgerMisuse: Outcome("ledger_misuse", 3, 409, "55000"),
    LedgerUnavailable: Outcome("ledger_unavailable", 4, 503, "57P03"),
    LedgerDamaged: Outcome("ledger_damaged", 4, 500, "XX001"),
    LedgerRolledBack: Outcome("ledger_rolled_back", 4, 500, "XX001"),
    BrokenRandomness: Outcome("broken_randomness", 4, 500, "58000"),
}
"""Every class and its outcome (SQLSTATEs: PostgreSQL's appendix A)."""


def outcome_of(error: SfumatoError | type[SfumatoError]) -> Outcome:
    """The outcome of an error: its class's own, else that of the nearest above it.

    >>> outcome_of(BudgetExceeded)
    Outcome(code='budget_exceeded', exit=3, http=402, sqlstate='53400')
    """
    kind = error if isinstance(error, type) else type(error)
    return next(OUTCOMES[each] for each in kind.__mro__ if each in OUTCOMES)

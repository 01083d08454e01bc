"""Hints in the words of the command line: what Python calls `epsilon=0.5` is `--epsilon 0.5` here."""

import re

from sfumato.errors import SfumatoError

_FLAGS = {
    name: f"--{name}"
    for name in (
        "analyst", "append", "bar", "beyond", "confidence", "cutoff", "delta", "draws", "epsilon", "groups", "key",
        "label", "rho", "rows", "sensitivity", "weigh", "within",
    )
} | {"k": "-k"}  # fmt: skip
"""What arguments of Python are called by commands."""
_ARGUMENT = re.compile(rf"\b({'|'.join(_FLAGS)})=('[^']*'|\"[^\"]*\"|[^\s,;)]+)")
_WITH = re.compile(r"\bask with (epsilon|rho)\b")
_PAGE = re.compile(r"(?:see )?docs/([\w/-]+)\.md")
_IN_PYTHON = re.compile(r"[;,]? or open\([^)]*\)")
_WEIGHTS = re.compile(r"weights=(\{.*\})")


def as_told(error: SfumatoError) -> SfumatoError:
    """The same error with a hint that can be followed on a command line."""
    hint = in_commands(error.hint)
    if hint != error.hint:
        error.hint = hint
        error.args = (f"{error.problem}\n\nhint: {hint}",)
    return error


def in_commands(hint: str) -> str:
    """A hint in the words of commands.

    >>> in_commands("pass delta=1e-9, or ask less"), in_commands("see docs/sql.md for what is answered")
    ('pass --delta 1e-9, or ask less', 'sfumato docs sql for what is answered')
    >>> in_commands("known: ann, bob; say analyst='ann'")
    'known: ann, bob; say --analyst ann'
    """
    hint = _WEIGHTS.sub(r"--weights names a file of JSON: \1", _IN_PYTHON.sub("", hint))
    hint = _ARGUMENT.sub(_flag, hint)
    return _PAGE.sub(r"sfumato docs \1", _WITH.sub(r"ask with --\1", hint))


def _flag(found: re.Match[str]) -> str:
    name, value = found.groups()
    if value.startswith("'") and re.fullmatch(r"'[\w.-]+'", value):
        value = value[1:-1]
    return _FLAGS[name] if value == "True" else f"{_FLAGS[name]} {value}"

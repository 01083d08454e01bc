"""The door: names that are nearly right, hints in the words of commands, pages, completion, and a quiet parser."""

import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

import sfumato
from readme import shape, steps
from sfumato.cli import demo, docs, main
from sfumato.cli.command import COMMANDS, Exit
from sfumato.cli.door import as_told, in_commands
from sfumato.cli.parser import branches, whole_parser
from sfumato.demo import hospital
from sfumato.errors import InvalidParameter


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hospital")
    hospital.build(folder, people=hospital.PEOPLE, visits=2000)
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("patients.parquet", "visits.parquet", "hospital.toml"):
        (tmp_path / name).write_bytes((built / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


# ---- the first screen ----


@pytest.mark.usefixtures("folder")
def test_the_first_screen_of_the_readme_is_what_one_sees(capsys: pytest.CaptureFixture[str]) -> None:
    main(["sql", "SELECT COUNT(*) AS n FROM visits", "-e", "2"])  # as much as the demo spends
    capsys.readouterr()
    shown = [step for step in steps() if step.shown]
    assert len(shown) == 2
    for command, expected in shown:
        main(shlex.split(command)[1:])
        said = capsys.readouterr()
        assert shape(said.out + said.err) == shape(expected)
    assert demo.ELDERLY in shown[0].command
    assert "people or more are in them" in shown[0].shown
    assert shown[1].shown.startswith("error: ")


def test_the_order_of_the_first_answer_is_not_noise(folder: Path) -> None:
    """Neighbours of the list differ by ten bars and more, those that are not shown too."""
    exact = [int(row[1]) for row in hospital.truth(folder, demo.ELDERLY.replace("LIMIT 5", "LIMIT 6"))]
    with sfumato.open("hospital.toml") as session:
        bar = session.explain(demo.ELDERLY, epsilon="0.5").columns[1].error.figure
    assert bar is not None
    gaps = [more - less for more, less in pairwise(exact)]
    assert min(gaps) >= 10 * float(bar)


# ---- names that are nearly right ----


def ended(words: list[str]) -> object:
    """The exit status, however it is told."""
    try:
        return main(words)
    except SystemExit as end:
        return end.code


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["sqll"], "did you mean `sql`?"),
        (["budgte"], "did you mean `budget`?"),
        (["explian", "SELECT 1"], "did you mean `explain`?"),
        (["kitchen"], "sfumato --help lists them"),
        (["sql", "SELECT 1", "--epsilom", "1"], "did you mean `--epsilon`? sfumato sql --help"),
        (["docs", "sqll"], "did you mean `sql`?"),
        (["attack", "linkge"], "did you mean `linkage`?"),
        (["owner", "failure"], "sfumato owner --help"),
        (["init", "visits.parquet", "--person", "pateint", "-o", "-"], "did you mean `patient`?"),
        (["owner", "budget", "--analyst", "analist"], "did you mean `analyst`?"),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(
    words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if words[0] == "owner":
        main(["register"])
    assert ended(words) in (Exit.USAGE, Exit.REFUSED)
    told = capsys.readouterr().err
    assert hint in told
    assert re.search(r"error: .*\n\nhint: ", told)


def test_a_setting_that_is_nearly_right_is_answered_with_the_one_there_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (folder / "hospital.toml").read_text(encoding="utf-8")
    for wrong, right in (("rows_per_persn", "rows_per_person"), ("lowr", "lower"), ("foriegn_keys", "foreign_keys")):
        (folder / "hospital.toml").write_text(text.replace(right, wrong, 1), encoding="utf-8")
        assert main(["check"]) == Exit.REFUSED
        assert f"did you mean `{right}`?" in capsys.readouterr().err


# ---- the words of the door ----


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        ("epsilon=0.5", "--epsilon 0.5"),
        ("confidence=0.95", "--confidence 0.95"),
        ('label="weekly report"', '--label "weekly report"'),
        ("known: ann, bob; say analyst='ann'", "known: ann, bob; say --analyst ann"),
        ("say analyst='ann lee'", "say --analyst 'ann lee'"),
        ("k=3", "-k 3"),
        (
            "pass delta=1e-9, or have the owner declare the values",
            "pass --delta 1e-9, or have the owner declare the values",
        ),
        ("register all of it again: without append=True", "register all of it again: without --append"),
        ("see docs/sql.md for the functions there are", "sfumato docs sql for the functions there are"),
        ("this budget counts in ρ: ask with rho", "this budget counts in ρ: ask with --rho"),
        ('ledger = "clinic.ledger", or open(…, ledger=…)', 'ledger = "clinic.ledger"'),
        ('weights={"north": {"surgery": 1}}', '--weights names a file of JSON: {"north": {"surgery": 1}}'),
        ("ask for at most ε = 0.5, or ask the owner", "ask for at most ε = 0.5, or ask the owner"),
        ("confidence = 0.95 in [defaults], rows_per_group = 5", "confidence = 0.95 in [defaults], rows_per_group = 5"),
    ],
)
def test_hints_are_told_in_the_words_of_commands(hint: str, told: str) -> None:
    assert in_commands(hint) == told
    assert in_commands(told) == told


def test_an_error_keeps_everything_but_the_words_of_its_hint() -> None:
    error = as_told(InvalidParameter("confidence", "must lie between 0 and 1", 7, hint="confidence=0.95"))
    assert isinstance(error, InvalidParameter)
    assert (error.name, error.hint) == ("confidence", "--confidence 0.95")
    assert str(error) == "confidence must lie between 0 and 1: 7\n\nhint: --confidence 0.95"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "words",
    [
        ["sql", "SELECT COUNT(*) FROM visits"],
        ["sql", "SELECT COUNT(*) FROM visits", "-e", "1", "--confidence", "7"],
        ["sql", "SELECT COUNT(*) FROM visits", "-e", "1", "--delta", "2"],
        ["sql", "SELECT COUNT(*) FROM visits", "-e", "1", "--label", "a\nb"],
        ["sql", "SELECT COUNT(*) FROM visits", "--within", "-5"],
        ["top", "SELECT ward, COUNT(*) FROM visits GROUP BY ward", "-e", "1", "-k", "99"],
        ["sql", "SELECT COUNT(*) FROM visits", "--rho", "1"],
    ],
)
def test_no_hint_on_the_command_line_speaks_python(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) in (Exit.USAGE, Exit.REFUSED)
    hint = capsys.readouterr().err.partition("hint:")[2]
    assert hint.strip()
    assert not re.search(r"\b[a-z_]+=\S|\bopen\(|session\.", hint)


def test_hints_of_rooms_name_options_only_of_a_command_that_they_name() -> None:
    """In Python `--append` means nothing; `sfumato register --append` is something to type anywhere."""
    source = Path(demo.__file__).parents[1]
    lost = []
    for path in source.rglob("*.py"):
        if "cli" in path.parts:
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            for found in re.finditer(r"(?<![\w-])--[a-z][a-z-]+", line):
                if not re.search(r"sfumato [a-z]+[^;]*$|pg_dump[^;]*$", line[: found.start()]) and '"' in line:
                    lost.append((path.name, line.strip()))
    assert lost == []


# ---- the parser's own words ----


NO_QUESTIONS = [
    "ALTER SESSION SET x = 1",
    "SELECT COUNT(*) FROM visits -- '",
    "PRAGMA x",
    "EXPLAIN SELECT 1",
    "SELECT 'a",
    "MERGE INTO x USING y",
]


@pytest.mark.parametrize("text", NO_QUESTIONS)
def test_nothing_of_the_parsers_reaches_stderr(text: str, folder: Path) -> None:
    """In a process of its own, where nobody else has arranged for messages."""
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", "sql", text, "-e", "0.1"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert re.match(r"error: |95 % error bars", done.stderr), done.stderr


def test_nothing_of_the_parsers_reaches_stderr_in_python(folder: Path) -> None:
    """Likewise, one question after the other: what is said of any of them would be seen."""
    code = f"""import sfumato
session = sfumato.open('hospital.toml')
for text in {NO_QUESTIONS!r}:
    try: session.sql(text, epsilon='0.1')
    except sfumato.errors.SfumatoError: print('refused')
    else: print('answered')"""
    silent = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert (silent.returncode, silent.stderr) == (0, "")
    assert len(silent.stdout.split()) == len(NO_QUESTIONS)


# ---- story and tables ----


@pytest.mark.slow
def test_the_story_goes_where_its_tables_go(folder: Path) -> None:
    del folder
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", "demo"], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.index("1. How busy") < done.stdout.index("truth ┃") < done.stdout.index("2. Which wards")
    assert done.stdout.index("Next:") < done.stdout.index("-m sfumato explain")


def test_what_is_said_stays_behind_what_was_shown(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", "sql", "SELECT COUNT(*) AS n FROM visits", "-e", "0.1"], cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.index("└") < done.stdout.index("cost ε = 0.1")


@pytest.mark.parametrize(
    ("program", "found", "called"),
    [
        ("/usr/bin/sfumato", "/usr/bin/sfumato", "sfumato"),
        (".venv/bin/sfumato", None, "../.venv/bin/sfumato"),
        (".venv/bin/sfumato", "/usr/bin/sfumato", "../.venv/bin/sfumato"),
        ("/x/site-packages/sfumato/__main__.py", None, f"{sys.executable} -m sfumato"),
    ],
)
def test_the_next_commands_are_called_as_they_can_be_called(
    program: str, found: str | None, called: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [program, "demo"])
    monkeypatch.setattr(shutil, "which", lambda _: found)
    go, *lines = demo.next_commands(Path("sfumato-demo"))
    assert go == "cd sfumato-demo"
    assert all(line.startswith(f"{called} ") for line in lines)


# ---- pages ----


def test_pages_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs"]) == Exit.DONE
    assert "threat-model" in capsys.readouterr().out
    for name in ("sql", "docs/sql.md", "security", "SECURITY.md", "threat-model", "explanation/threat-model"):
        assert main(["docs", name]) == Exit.DONE
        assert capsys.readouterr().out.startswith("# ")
    assert {"sql", "tutorial", "ledger", "registration", "security", "attacks", "attacks/linkage"} <= set(docs.pages())


# ---- completion ----


@cache
def for_bash() -> str:
    """The script, as a shell gets it."""
    return subprocess.run(
        [sys.executable, "-m", "sfumato", "completion", "bash"], capture_output=True, text=True, timeout=60, check=True
    ).stdout


def completed(*words: str) -> list[str]:
    """What bash offers for the last of the words."""
    line = " ".join(f"'{word}'" for word in words)
    asked = f'COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _sfumato; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "-c", f"set -u\n{for_bash()}\nCOMPREPLY=()\n{asked}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["sfumato", "bud"], ["budget"]),
        (["sfumato", "c"], ["check", "choose", "completion"]),
        (["sfumato", "sql", "--eps"], ["--epsilon"]),
        (["sfumato", "sql", "SELECT 1 FROM x", "--del"], ["--delta"]),
        (["sfumato", "owner", "un"], ["unlock"]),
        (["sfumato", "local", "agg"], ["aggregate"]),
        (["sfumato", "local", "aggregate", "--post"], ["--postprocess"]),
        (["sfumato", "local", "new", "--kind", "rap"], ["rappor"]),
        (["sfumato", "completion", "z"], ["zsh"]),
        (["sfumato", "docs", "tut"], ["tutorial"]),
        (["sfumato", "sql", "-d", "clin"], []),
    ],
)
def test_bash_completes_commands_options_and_words(words: list[str], offered: list[str]) -> None:
    assert completed(*words) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_knows_every_command_and_every_option(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == Exit.DONE
    script = capsys.readouterr().out
    for words, parser in branches(whole_parser()).items():
        for name in words:
            assert name in script
        for action in parser._actions:
            for option in action.option_strings:
                assert (
                    f"-l {option[2:]}" if shell == "fish" and option.startswith("--") else option.lstrip("-")
                ) in script
    assert all(command.name in script for command in COMMANDS)
    if shutil.which(shell):
        checked = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, timeout=60, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")

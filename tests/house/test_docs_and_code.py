"""What the pages say is what the code does: settings, functions, commands, exit codes, links, extras, versions."""

import argparse
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato
from readme import TEXT as README
from sfumato.cli import docs
from sfumato.cli.command import COMMANDS, Exit
from sfumato.cli.parser import branches, whole_parser
from sfumato.core.libraries import LIBRARIES
from sfumato.data import budget, declaration, declared, dialect, options

ROOT = Path(__file__).parents[2]
SQL = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = {command.name for command in COMMANDS}
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


# ---- settings ----


def example() -> dict[str, Any]:
    block = re.search(r"```toml\n(.*?)```", SQL, re.DOTALL)
    assert block is not None
    return tomllib.loads(block[1])


def test_the_declaration_of_the_reference_can_be_declared(tmp_path: Path) -> None:
    made = declared(example(), folder=tmp_path)
    assert [table.name for table in made.tables] == ["users", "visits", "cities"]
    assert made.groups["citizens"].epsilon == 5


SETTINGS = {
    "the declaration": declaration._TOP,
    "a table": declaration._TABLE,
    "a column": declaration._COLUMN,
    "[defaults]": declaration._DEFAULTS,
    "[rules]": declaration._RULES,
    "[engine]": set(options._KNOWN),
    "a dialect": set(dialect._KNOWN),
    "a budget": {"epsilon", "delta", "rho", "accounting", *budget._WINDOWS},
    "[unit]": {"person", "rows"},
}


def named(given: Any) -> Iterator[str]:
    if isinstance(given, dict):
        for name, inner in given.items():
            yield name
            yield from named(inner)


@pytest.mark.parametrize("where", SETTINGS)
def test_every_setting_is_in_the_reference(where: str) -> None:
    in_prose = " ".join(re.findall(r"`[^`\n]*`|#[^\n]*", SQL))
    assert SETTINGS[where] - set(named(example())) - set(re.findall(r"\w+", in_prose)) == set()


# ---- commands and exit codes ----


def test_exit_codes_are_those_of_the_reference() -> None:
    said = re.search(r"Exit codes:(.*?)\.\n", SQL, re.DOTALL)
    assert said is not None
    assert {int(code) for code in re.findall(r"\b(\d+) [a-z]", said[1])} == {int(each) for each in Exit}


def test_commands_are_those_of_the_reference() -> None:
    listed = [word for group in re.findall(r"`sfumato ([\w |]+\|[\w |]+)`", SQL) for word in group.split(" | ")]
    assert sorted(listed) == sorted(NAMES)


TEXTS = {path: path.read_text(encoding="utf-8") for path in [*PAGES, *sorted((ROOT / "src").rglob("*.py"))]}


def test_commands_and_pages_that_are_named_are_there() -> None:
    known, lost = set(docs.pages()), []
    for path, text in TEXTS.items():
        called = set(re.findall(r"(?:`|\"|'|: |\$ |; )sfumato ([a-z]+)(?=[ `\"';:.,]|$)", text, re.MULTILINE))
        pages = set(re.findall(r"sfumato docs ([a-z][a-z/-]*)", text)) - {"lists", "shows"}
        if path.suffix == ".py":
            pages |= {found.lower() for found in re.findall(r"\bdocs/([\w/-]+)\.md", text)}
        lost += [(path, name) for name in (called - NAMES) | (pages - known)]
    assert lost == []


OPTIONS = {
    words[0]: {option for action in parser._actions for option in action.option_strings}
    for words, parser in branches(whole_parser()).items()
    if len(words) == 1
}


def test_options_of_commands_that_are_named_are_there() -> None:
    seen, lost = 0, []
    for path, text in TEXTS.items():
        for command, rest in re.findall(r"\bsfumato ([a-z]+)((?: (?:--?[a-z][\w-]*|[\w./*'<>{}\"…]+))*)", text):
            if command in OPTIONS and command != "local":
                said = set(re.findall(r" (--[a-z][\w-]*)", rest))
                seen += len(said)
                lost += [(path, command, option) for option in said - OPTIONS[command]]
    assert lost == []
    assert seen > 10


# ---- links, extras and metadata ----


def test_links_lead_to_files_that_are_there() -> None:
    links = [
        (page, link) for page in PAGES for link in re.findall(r"\]\(([^)\s]+)\)", TEXTS[page]) if "://" not in link
    ]
    assert len(links) > 50
    assert [each for each in links if not (each[0].parent / each[1].partition("#")[0]).exists()] == []


def test_every_extra_has_its_library_and_every_library_its_extra() -> None:
    extras: dict[str, list[str]] = PROJECT["optional-dependencies"]
    distributions = {"yaml": "pyyaml"}
    for module, (_, extra) in LIBRARIES.items():
        assert any(each.startswith(distributions.get(module, module)) for each in extras[extra]), module
    assert set(extras) - {"all"} == {extra for _, extra in LIBRARIES.values()}
    assert extras["all"] == [f"sfumato[{','.join(sorted(set(extras) - {'all'}))}]"]
    table = README.partition("| extra |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`(?=[,`\w ]*\|)", table)) >= set(extras)


def test_the_version_is_said_everywhere_alike() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (.*)$", changes, re.MULTILINE)
    assert titles[0] == "[Unreleased]"
    assert re.fullmatch(rf"{re.escape(sfumato.__version__)} - \d{{4}}-\d\d-\d\d", titles[1])
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {sfumato.__version__}\n" in cited
    assert f'date-released: "{titles[1].rpartition(" - ")[2]}"' in cited
    assert f'repository-code: "{PROJECT["urls"]["Source"]}"' in cited


def test_what_is_checked_before_a_commit_are_targets_of_ours_and_nothing_is_fetched() -> None:
    import yaml

    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert [each["repo"] for each in config["repos"]] == ["local"]
    entries = [hook["entry"].split() for each in config["repos"] for hook in each["hooks"]]
    assert entries
    assert all(make == "make" and target in targets for make, target in entries)
    assert {"release", "demo", "test"} <= targets


def test_a_privacy_concern_is_led_away_from_public_pages() -> None:
    import yaml

    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    config = yaml.safe_load((folder / "config.yml").read_text(encoding="utf-8"))
    assert config["blank_issues_enabled"] is False
    (link,) = config["contact_links"]
    assert link["url"] == f"{PROJECT['urls']['Source']}/security/advisories/new"
    assert "SECURITY.md" in link["about"]
    for name in ("bug", "question"):
        _, head, body = (folder / f"{name}.md").read_text(encoding="utf-8").split("---\n", 2)
        assert {"name", "about"} <= set(yaml.safe_load(head))
        assert "Never paste rows of real people" in body


@pytest.mark.slow
def test_the_wheel_holds_the_pages_and_its_description_has_links_that_lead_somewhere(tmp_path: Path) -> None:
    code = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as held:
        inside = set(held.namelist())
        description = held.read(f"sfumato-{sfumato.__version__}.dist-info/METADATA").decode()
    assert {"sfumato/docs/sql.md", "sfumato/docs/SECURITY.md", "sfumato/docs/explanation/threat-model.md"} <= inside
    links = re.findall(r"\]\(([^)\s]+)\)", description)
    base = f"{PROJECT['urls']['Source']}/blob/main/"
    assert len(links) == len(re.findall(r"\]\(([^)\s]+)\)", README)) > 10
    assert all((ROOT / link.removeprefix(base)).exists() for link in links)
    assert all(url.startswith(PROJECT["urls"]["Source"]) for url in PROJECT["urls"].values())


def test_every_command_and_option_has_a_line_of_help() -> None:
    silent = [
        (words, action.dest)
        for words, parser in branches(whole_parser()).items()
        for action in parser._actions
        if not action.help and not isinstance(action, argparse._SubParsersAction)
    ]
    assert silent == []

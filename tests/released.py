"""Try what a release ships, each in an empty environment: `python3 tests/released.py dist place`.

Every wheel and every sdist of the folder is installed by pip into an environment of its own below `place`, and used as a
newcomer would: the version, a page of the documentation, the demo, the metadata, and whether what it needs fits together.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

_CHECKS = """
from importlib.metadata import metadata, version
found = metadata("sfumato")
text = found.get_payload() or found["Description"]
links = __import__("re").findall(r"\\]\\(([^)]+)\\)", text)
assert links and all(link.startswith("https://") for link in links), links
assert found["License-Expression"] == "Apache-2.0" and found["Author"], "who and how"
assert found.get_all("Project-URL") and found.get_all("Classifier"), "where and what"
print(version("sfumato"))
"""


def run(*words: str | Path, cwd: Path) -> str:
    """What a command says; an error ends everything, with all it said."""
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def tried(built: Path, place: Path) -> str:
    """The version that a built file installs as, once everything else about it is as it should be."""
    home = place / built.name
    run(sys.executable, "-m", "venv", "--clear", home, cwd=place)
    python, sfumato = home / "bin" / "python", home / "bin" / "sfumato"
    run(python, "-m", "pip", "--disable-pip-version-check", "install", "-q", built, cwd=place)
    run(python, "-m", "pip", "check", cwd=place)
    shown = run(sfumato, "--version", cwd=place).split()[1]
    kept = run(python, "-c", _CHECKS, cwd=place).strip()
    if shown != kept or not re.fullmatch(rf"sfumato-{re.escape(shown)}([.-].*)", built.name):
        raise SystemExit(f"{built.name} says that it is {shown} and {kept}")
    if "# Questions and declarations" not in run(sfumato, "docs", "sql", cwd=place):
        raise SystemExit(f"{built.name} has no page sql")
    with tempfile.TemporaryDirectory() as folder:
        run(sfumato, "demo", cwd=Path(folder))
        run(sfumato, "log", "--verify", cwd=Path(folder) / "sfumato-demo")
    return shown


def main(built: Path, place: Path) -> None:
    """Try every file of a folder; a release is a wheel and an sdist of one version."""
    place.mkdir(parents=True, exist_ok=True)
    files = sorted([*built.resolve().glob("*.whl"), *built.resolve().glob("*.tar.gz")])
    versions = {file.name: tried(file, place.resolve()) for file in files}
    for name, version in versions.items():
        sys.stdout.write(f"{name}: installs, answers and verifies as {version}\n")
    if len(files) != 2 or len(set(versions.values())) != 1:
        raise SystemExit(f"a release is one wheel and one sdist, found {', '.join(versions) or 'nothing'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

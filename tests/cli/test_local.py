"""`sfumato local` end to end: files in and out, data on stdout, mistakes in the caller's words."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.local import Aggregator, from_json, kinds

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def command(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["local", *map(str, words)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return command


def lines(path: str, values: list[Any]) -> str:
    Path(path).write_text("\n".join(map(str, values)) + "\n")
    return path


PAGES = [f"https://{name}.example" for name in ("news", "mail", "video", "shop")]


def test_homepages_from_protocol_to_strings(run: Run) -> None:
    code, out, _ = run(
        "new", "--name", "homepages", "--kind", "rappor", "-f", "1/4", "-p", "0.25", "-q", "3/4", "-o", "p.json"
    )
    assert code == Exit.DONE
    assert "34 bytes" in out
    people = [page for page, n in zip(PAGES, (8000, 6000, 4000, 2000), strict=True) for _ in range(n)]
    code, out, _ = run("simulate", "p.json", lines("homes.txt", people), "-o", "r.bin", "--json")
    assert json.loads(out) == {"reports": 20_000, "bytes": 680_000, "written": "r.bin"}
    assert Path("r.bin").stat().st_size == 680_000
    code, out, err = run("aggregate", "p.json", "r.bin", "-o", "c.bin")
    assert (code, "20,000 reports counted" in err, "decode" in err) == (Exit.DONE, True, True)
    candidates = lines("candidates.txt", PAGES + [f"https://{i}.other" for i in range(60)])
    code, out, _ = run("decode", "c.bin", candidates, "--json", "--significance", "1e-6")
    found = json.loads(out)
    assert {one["string"] for one in found["detected"]} == set(PAGES)
    assert found["detected"][0]["share"] == pytest.approx(0.4, abs=0.05)
    code, out, err = run("decode", "c.bin", candidates, "--significance", "1e-6")
    assert PAGES[0] in out
    assert "4 of 64 candidates" in out
    assert "to be found" in err


def test_seconds_of_use_as_a_mean(run: Run) -> None:
    assert (
        run(
            "new",
            "--name",
            "seconds",
            "--kind",
            "one-bit",
            "--upper",
            "86400",
            "--epsilon",
            "1",
            "--memo",
            "-o",
            "p.json",
        )[0]
        == 0
    )
    seconds = np.linspace(0, 7200, 40_000).astype(int).tolist()
    run("simulate", "p.json", lines("seconds.txt", seconds), "-o", "r.bin")
    code, out, _ = run("aggregate", "p.json", "r.bin", "--json")
    found = json.loads(out)
    assert code == Exit.DONE
    assert found["low"] < found["mean"] < found["high"]
    assert abs(found["mean"] - 3600) < 6.2 * found["standard_error"]
    code, out, _ = run("aggregate", "p.json", "r.bin")
    assert "95% interval" in out


def test_counts_of_several_servers_merge(run: Run) -> None:
    run("new", "--name", "t", "--domain", "4", "--epsilon", "2", "-o", "p.json")
    assert from_json(Path("p.json").read_text()).kind == "k-ary"
    for part in "ab":
        run("simulate", "p.json", lines("v.txt", [0, 1, 1, 2] * 500), "-o", f"{part}.bin")
        run("aggregate", "p.json", f"{part}.bin", "-o", f"{part}.counts")
    code, out, _ = run(
        "aggregate",
        "p.json",
        "a.counts",
        "b.counts",
        "a.bin",
        "-o",
        "all.counts",
        "--json",
        "--postprocess",
        "norm-sub",
    )
    found = json.loads(out)
    assert code == Exit.DONE
    assert (found["people"], found["rejected"]) == (4000, {"replayed": 2000})
    assert sum(row["share"] for row in found["estimates"]) == pytest.approx(1)
    assert Aggregator.from_bytes(Path("all.counts").read_bytes()).people == 4000
    code, out, _ = run("aggregate", "p.json", "all.counts", "--top", "2")
    assert "2 of 4 shares, raw" in out


def test_heavy_hitters_need_no_list(run: Run) -> None:
    run("new", "--name", "t", "--kind", "prefix-tree", "--length", "4", "--epsilon", "6", "-o", "p.json")
    run("simulate", "p.json", lines("v.txt", ["ab"] * 6000 + ["abcd"] * 6000), "-o", "r.bin")
    run("aggregate", "p.json", "r.bin", "-o", "c.bin", "--json")
    _, out, _ = run("decode", "c.bin", "--json")
    found = sorted(json.loads(out)["estimates"], key=lambda row: -row["share"])  # a rare third one may be chance
    assert {row["value"] for row in found[:2]} == {"ab", "abcd"}


def test_broken_files_are_counted_and_not_fatal(run: Run) -> None:
    run("new", "--name", "t", "--domain", "4", "--epsilon", "2", "-o", "p.json")
    Path("noise.bin").write_bytes(bytes(range(256)) * 3)
    code, out, err = run("aggregate", "p.json", "noise.bin")
    assert code == Exit.DONE
    assert "wrong version" in err
    assert "unknown" in out  # nobody reported, so nothing is known


def test_every_kind_can_be_made(run: Run) -> None:
    names = ["auto", *(kind.kind for kind in kinds.KINDS)]
    numbers = {"one-bit", "piecewise", "hybrid"}
    for kind in names:
        words: list[object] = ["new", "--name", "t", "--kind", kind]
        words += ["--upper", 5] if kind in numbers else ["--domain", 8] if kind not in ("rappor", "prefix-tree") else []
        words += ["--alpha", 1] if kind == "condensed" else [] if kind == "rappor" else ["--epsilon", "0.5"]
        code, out, _ = run(*words)
        assert code == Exit.DONE
        protocol = from_json(out)
        assert kind in (protocol.kind, "auto")
    _, out, _ = run("new", "--name", "t", "--kind", "condensed", "--domain", "10", "--alpha", "1", "-o", "p.json")
    assert "ε = 4.5 in the worst case" in out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["new", "--name", "t", "--domain", "4"], "--epsilon is needed"),
        (["new", "--name", "t", "--epsilon", "1"], "--domain is needed"),
        (["new", "--name", "t", "--kind", "one-bit", "--epsilon", "1"], "--upper is needed"),
        (["new", "--name", "t", "--domain", "4", "--epsilon", "1", "--cohorts", "3"], "options do not fit"),
        (["new", "--name", "t", "--domain", "4", "--epsilon", "-1"], "positive"),
        (["new", "--name", "t", "--values", "missing.txt", "--epsilon", "1"], "cannot be read"),
        (["aggregate", "missing.json", "r.bin"], "cannot be read"),
        (["aggregate", "good.json", "missing.bin"], "cannot be read"),
        (["simulate", "good.json", "words.txt"], "--output is needed"),
        (["simulate", "good.json", "words.txt", "-o", "x.bin"], "must be numbers"),
        (["simulate", "good.json", "big.txt", "-o", "x.bin"], "protocol's domain"),
        (["new", "--name", "t", "--domain", "4", "--epsilon", "1", "-o", "good.json"], "exists already"),
        (["decode", "good.json"], "whole bytes of an aggregator"),
        (["decode", "empty.counts"], "are needed"),
        (["aggregate", "words.txt", "r.bin"], "must be JSON"),
        (["simulate", "good.json", "good.txt", "-o", "missing/x.bin"], "is in no folder that is there"),
    ],
)
def test_mistakes_are_told_in_the_callers_words(run: Run, words: list[str], complaint: str) -> None:
    run("new", "--name", "t", "--domain", "4", "--epsilon", "1", "-o", "good.json")
    lines("words.txt", ["SECRET-99"])
    lines("big.txt", [1, 99])
    lines("good.txt", [1, 2])
    Path("empty.counts").write_bytes(Aggregator(from_json(Path("good.json").read_text())).to_bytes())
    code, out, err = run(*words)
    assert code == Exit.USAGE
    assert complaint in " ".join(err.split())
    assert not out
    assert "99" not in err
    assert not list(Path().glob("x.bin*"))


@pytest.mark.parametrize("number", ["1/0", "1e99999999", "1e-99999999", "inf", "nan", "one", "1/2/3"])
def test_a_number_that_cannot_be_is_refused_at_once(run: Run, number: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("new", "--name", "t", "--domain", "4", "--epsilon", number)
    assert "must be a number such as 0.5 or 1/2" in " ".join(capsys.readouterr().err.split())


def test_shares_that_are_unknown_come_last(run: Run) -> None:
    """RAPPOR's cohorts that nobody is in have no shares."""
    run("new", "--name", "t", "--kind", "rappor", "-o", "p.json")
    run("simulate", "p.json", lines("three.txt", ["a", "b", "c"]), "-o", "r.bin")
    _, out, _ = run("aggregate", "p.json", "r.bin")
    assert "unknown" not in out


def test_an_existing_file_is_replaced_on_demand_only(run: Run) -> None:
    words = ("new", "--name", "t", "--domain", "4", "--epsilon", "1", "-o", "p.json")
    assert run(*words)[0] == Exit.DONE
    assert run(*words)[0] == Exit.USAGE
    assert run(*words, "--force", "--json")[0] == Exit.DONE


def shared_servers(run: Run) -> None:
    """Three files of reports, and counts of the first, of the first and second, and of the second and third."""
    run("new", "--name", "t", "--domain", "4", "--epsilon", "2", "-o", "p.json")
    for part in "abc":
        run("simulate", "p.json", lines("v.txt", [0, 1, 1, 2] * 250), "-o", f"{part}.bin")
    for parts in ("a", "ab", "bc"):
        run("aggregate", "p.json", *(f"{part}.bin" for part in parts), "-o", f"{parts}.counts")


def test_reports_that_two_servers_counted_are_told_in_the_table(run: Run) -> None:
    """Counts cannot be taken apart, so what they share is counted twice; a table that says nothing would be believed."""
    shared_servers(run)
    code, _, err = run("aggregate", "p.json", "ab.counts", "bc.counts")
    said = " ".join(err.split())
    assert code == Exit.DONE
    assert "4,000 reports counted; refused: none" in said
    assert "1,000 of them are counted twice" in said
    assert "aggregate the reports themselves" in said
    _, out, _ = run("aggregate", "p.json", "ab.counts", "bc.counts", "--json")
    found = json.loads(out)
    assert (found["people"], found["doubled"], "left_out" in found) == (4000, 1000, False)


def test_the_same_file_named_twice_is_counted_once_and_told(run: Run) -> None:
    shared_servers(run)
    for words in (("a.counts", "a.counts"), ("ab.counts", "a.counts"), ("a.bin", "a.counts")):
        code, _, err = run("aggregate", "p.json", *words)
        said = " ".join(err.split())
        people = 2000 if "ab.counts" in words else 1000
        assert code == Exit.DONE
        assert f"{people:,} reports counted" in said
        assert "left out, as all of it is counted already: a.counts" in said
        assert "twice" not in said
    code, _, err = run("aggregate", "p.json", "a.bin", "a.bin")
    assert code == Exit.DONE
    assert "1,000 reports counted; refused: 1,000 replayed" in " ".join(err.split())
    _, out, _ = run("aggregate", "p.json", "a.counts", "a.counts", "--json")
    assert json.loads(out)["left_out"] == ["a.counts"]


def test_a_copy_of_counts_without_tags_is_known_by_its_bytes(run: Run) -> None:
    shared_servers(run)
    server = Aggregator(from_json(Path("p.json").read_text()), check_replays=False)
    server.add(Path("a.bin").read_bytes())
    for name in ("one.counts", "copy.counts"):
        Path(name).write_bytes(server.to_bytes())
    _, out, _ = run("aggregate", "p.json", "one.counts", "copy.counts", "--json")
    assert json.loads(out)["people"] == 1000
    assert json.loads(out)["left_out"] == ["copy.counts"]

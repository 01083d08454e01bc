"""The hospital on real servers: what `make demo-postgres` and `make demo-spark` show is true."""

import pytest

import on_engines


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["postgres", "spark"])
def test_the_hospital_has_the_same_integers_on_a_server(engine: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert on_engines.main([engine, "--visits", "4000"]) == 0
    shown, said = capfd.readouterr()
    assert "integers are equal" in shown
    assert "what no analyst sees" in shown
    assert "count(*)" in shown  # the statement that the server would be asked
    assert said.count("95 % error bars") == 3
    assert "error:" not in said


def test_without_java_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert on_engines.main(["spark"]) == 2
    shown, said = capsys.readouterr()
    assert (shown, said.count("\n")) == ("", 1)
    assert "apt-get install openjdk-17-jre-headless" in said


def test_integers_that_differ_are_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from pathlib import Path

    found = iter([[on_engines.Exact({(): (1,)}, 0.0)], [on_engines.Exact({(): (2,)}, 0.0)]])
    monkeypatch.setattr(on_engines, "_exact", lambda _: next(found))
    assert not on_engines._compared("spark", Path("here"), Path("there"))
    assert "differ" in capsys.readouterr().err

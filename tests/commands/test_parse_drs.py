"""``pfsm parse --drs``, with a parser with random weights and with trees from files."""

import json
from pathlib import Path

import pytest

from pfsm.analysis.clause_files import read_clauses
from pfsm.cli import main

TREES = """\
1\tAnna\t_\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tsings\t_\tVERB\tVBP\t_\t0\troot\t_\t_

1\t?\t_\tPUNCT\t.\t_\t0\troot\t_\t_

"""
GOLD = """\
%%% raw: Anna sings
b1 PRESUPPOSITION b2
b1 female "n.02" x1
b1 Name x1 "anna"
b2 Agent e1 x1
b2 sing "v.02" e1
"""


@pytest.fixture(name="parser")
def _parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "cache"))
    (tmp_path / "trees.conllu").write_text(TREES, encoding="utf-8")
    return f"file:{tmp_path / 'trees.conllu'}"


def test_boxes_and_clauses_of_every_line(
    parser: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("Anna sings\n\n?\n", encoding="utf-8")
    assert main(["parse", str(tmp_path / "a.txt"), "--drs", "-p", parser]) == 0
    out = capsys.readouterr().out
    assert '\n% b1: x1 | PRESUPPOSITION(b2), female(x1), Name(x1, "anna")\n' in out
    assert "%%% line 1\n" in out
    assert "%%% line 2\n" not in out
    found = read_clauses(out.split("\n"), "out")
    assert [one.text for one in found] == ["Anna sings", "?"]
    assert found[1].analysis.drs is not None
    assert found[1].analysis.drs.clauses == ()
    # What is printed can be scored.
    (tmp_path / "boxes.clf").write_text(out, encoding="utf-8")
    lines = str(tmp_path / "a.txt")
    options = f"dr-or-*(parser=file:{tmp_path / 'boxes.clf'})"
    assert main(["score", lines, "-i", lines, "--metric", options, "--sentence-level", "--score-only"]) == 0
    assert [float(line) for line in capsys.readouterr().out.split()] == [1.0, 0.0, 0.0]


def test_counter_on_a_clause_file(parser: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gold.clf").write_text(GOLD, encoding="utf-8")
    arguments = ["parse", "--drs", "--evaluate", str(tmp_path / "gold.clf"), "-p", parser]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    # Ours: the same, PropBank's A0, first senses, and the time with three clauses.
    assert (found["texts"], found["all"]["gold_clauses"], found["all"]["clauses"]) == (1, 5, 8)
    assert found["all"]["recall"] == pytest.approx(100 * 2 / 5)
    assert found["plain"]["recall"] == 100.0
    assert found["plain"]["precision"] == pytest.approx(100 * 5 / 8)
    assert main(arguments) == 0
    assert "1 texts, 5 clauses" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--drs", "--format", "ptb"], "--drs prints clauses"),
        (["--drs", "--evaluate", "GOLD", "--raw"], "GOLD is a file of clauses"),
        (["--drs", "--evaluate", "GOLD", "--gold-trees"], "leave --gold-trees out"),
        (["--drs", "--evaluate", "GOLD", "--gold-roles", "x"], "leave --gold-roles out"),
        (["--drs", "--evaluate", "GOLD", "--one-sentence"], "leave --one-sentence out"),
        (["--drs", "--evaluate", "EMPTY"], "holds no clauses"),
        (["--drs", "--evaluate", "BAD"], "BAD:2: a clause is written as"),
        (["--drs", "-p", "BRACKETS", "YES"], "gives no dependency trees"),
    ],
)
def test_refusals(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("GOLD").write_text(GOLD, encoding="utf-8")
    Path("EMPTY").write_text("\n", encoding="utf-8")
    Path("BAD").write_text("%%% raw: A\nb1\n", encoding="utf-8")
    Path("YES").write_text("Yes\n", encoding="utf-8")
    Path("trees.ptb").write_text("(TOP (INTJ (UH Yes)))\n", encoding="utf-8")
    arguments = ["file:trees.ptb" if one == "BRACKETS" else one for one in arguments]
    assert main(["parse", *arguments]) == 2
    assert message in capsys.readouterr().err

"""``pfsm parse``, with parsers with random weights and with trees and roles from files."""

from pathlib import Path

import pytest

from pfsm_linguistics.analysis.clause_files import read_clauses
from pfsm_linguistics.analysis.conllu import parse_conllu, read_conllu
from pfsm_linguistics.labeller.weights import write_role_weights
from pfsm_linguistics.parser.weights import write_weights
from tests.command_runs import Cli, Write
from tests.linguistics.analysis.samples import CONLLU, nominal_weights, random_weights, role_weights

ROLES = "# words = She\tsings\n2\tsing\tsing.01\tARG0:1-1\tV:2-2\n\n# words = Yes\n\n"
GOLD_ROLES = "# words = We\tdo\tn't\tsing\t,\tAnna\t.\n4\tsing\tsing.01\tARG0:1-1\tV:4-4\n\n# words = Yes\n\n"
NOMINAL = """\
1\tLove\t_\tNOUN\tNN\t_\t4\tnsubj\t_\tPred=love.01|Args=A1:2-3
2\tof\t_\tADP\tIN\t_\t3\tcase\t_\t_
3\tdogs\t_\tNOUN\tNNS\t_\t1\tnmod\t_\t_
4\tlasts\t_\tVERB\tVBZ\t_\t0\troot\t_\tPred=last.01|Args=A1:1-3
"""
TREES = """\
1\tAnna\t_\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tsings\t_\tVERB\tVBP\t_\t0\troot\t_\t_

1\t?\t_\tPUNCT\t.\t_\t0\troot\t_\t_

"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Write) -> None:
    """The files that the tests have in common: GOLD in several forms, texts, a parser."""
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "cache"))
    write_weights(random_weights(), tmp_path / "x.parser")
    for name, content in (
        ("a.txt", "The cat sees (us).\n\nDogs sleep.\n"), ("gold.conllu", CONLLU), ("roles.txt", ROLES),
        ("gold-roles.txt", GOLD_ROLES), ("gold.ptb", "(TOP (INTJ (UH Yes)))\n"),
        ("trees.conllu", TREES), ("bad.clf", "%%% raw: A\nb1\n"), ("yes.txt", "Yes\n"),
    ):  # fmt: skip
        write(name, content)


def test_conllu_of_every_line(cli: Cli) -> None:
    found = list(parse_conllu(cli("parse", "a.txt", "-p", "x.parser").lines, "x"))
    assert {sentence.comment("line") for sentence in found} == {"1", "3"}
    assert " ".join(form for s in found for form in s.forms) == "The cat sees ( us ) . Dogs sleep ."


def test_n_best_lists_have_probabilities(cli: Cli) -> None:
    command = ["parse", "a.txt", "-p", "x.parser", "-f", "nbest", "-n", "4", "--one-sentence", "-o", "out"]
    assert cli(*command).status == 0
    found = [sentence for sentence in read_conllu("out") if sentence.comment("line") == "3"]
    assert [sentence.comment("tree") for sentence in found] == ["1", "2", "3", "4"]
    values = [float(sentence.comment("log_probability") or "nan") for sentence in found]
    assert values == sorted(values, reverse=True)
    assert values[0] <= 0


def test_evaluation_with_words_and_from_text(cli: Cli) -> None:
    command = ["parse", "--evaluate", "gold.conllu", "-p", "x.parser"]
    found = cli(*command, "--json", "--brackets", "gold.ptb").document
    assert (found["lines"], found["words"]) == (2, 8)
    assert 100 / 8 <= found["UAS"] <= 100
    assert sum(row["arcs"] for row in found["calibration"]) > 0
    assert "1 lines, 8 words" in cli(*command, "--raw", "--join", "2").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--raw", "--raw goes with --evaluate"),
        ("-n 3", "--trees goes with --format nbest"),
        ("--evaluate gold.conllu --join 2", "--join goes with --raw"),
        ("--evaluate gold.conllu --raw --brackets x", "leave --raw out"),
        ("--parser file:gold.conllu -f ptb gold.conllu", "has no analysis"),
        ("a.txt -p x.parser --roles", "gives no semantic roles"),
        ("--roles --evaluate gold.conllu -p file:roles.txt", "--gold-roles"),
        ("--nominal", "--nominal goes with --roles or --format roles"),
        ("--nominal --roles --evaluate roles.txt -p file:roles.txt", "--nominal needs tags"),
        ("--drs --evaluate gold.conllu", "--drs prints clauses"),
        ("-p file:bad.clf yes.txt", "bad.clf:2: a clause is written as"),
        ("--drs -p file:gold.ptb yes.txt", "gives no dependency trees"),
    ],
)
def test_refusals(cli: Cli, arguments: str, message: str) -> None:
    outcome = cli("parse", *arguments.split())
    assert outcome.status == 2
    assert message in outcome.err


def test_roles_of_a_file_are_written_and_evaluated(cli: Cli, write: Write) -> None:
    text, parser = write("text.txt", "Yes She sings\n"), "file:roles.txt"
    written = cli("parse", text, "-p", parser, "--roles").out
    assert "Pred=sing.01|Args=A0:1-1" in written
    assert "# roles = 0" in written
    assert cli("parse", text, "-p", parser, "-f", "roles").out == "1\tsings\tsing.01\tA0: She\n"
    found = cli("parse", "--roles", "--evaluate", "roles.txt", "-p", parser, "--json").document
    assert (found["arguments"]["f1"], found["roles"]["A0"]["gold"]) == (100.0, 1)


def test_roles_on_gold_trees_and_from_text(cli: Cli, tmp_path: Path) -> None:
    write_role_weights(role_weights(), tmp_path / "x.roles")
    command = [
        "parse",
        *["--roles", "--evaluate", "gold.conllu", "--gold-roles", "gold-roles.txt", "--json", "-p"],
    ]
    for more in ([], ["--brackets", "gold.ptb"]):
        found = cli(*command, "x.parser", "--gold-trees", *more).document
        # The gold tags have one verb, and it is a predicate.
        assert (found["predicates"]["f1"], found["roles"]["A0"]["gold"]) == (100.0, 1)
    assert cli(*command, "x.parser", "--raw", "--join", "2").document["lines"] == 1
    for more, message in (
        (["x.parser", "--gold-trees", "--raw"], "leave --raw"),
        (["x.parser", "--brackets", "x"], "--brackets goes with --gold-trees"),
        (["file:gold-roles.txt", "--gold-trees"], "has no labeller"),
    ):
        assert message in cli(*command, *more).fault
    command[3] = "gold-roles.txt"
    assert "needs tags and a dependency tree" in cli(*command, "x.parser", "--gold-trees").fault


def test_nominal_predicates_are_written_and_evaluated(cli: Cli, write: Write, tmp_path: Path) -> None:
    # A name of its own: a process keeps the parsers that it has loaded.
    write_weights(random_weights(), tmp_path / "nouns.parser")
    write_role_weights(role_weights(nominal=nominal_weights(9.0)), tmp_path / "nouns.roles")
    gold = write("n.conllu", NOMINAL)
    command = ["parse", "--roles", "--evaluate", gold, "-p", "nouns.parser", "--gold-trees"]
    verbs, both = cli(*command, "--json").document, cli(*command, "--nominal", "--json").document
    nominal = both.pop("nominal")
    assert both == verbs
    # Every noun is called a predicate, and one of two is one.
    assert (nominal["predicates"]["precision"], nominal["predicates"]["recall"]) == (50.0, 100.0)
    assert nominal["roles"]["A1"]["gold"] == 1


def test_boxes_and_clauses_of_every_line(cli: Cli, write: Write) -> None:
    lines = write("lines.txt", "Anna sings\n\n?\n")
    out = cli("parse", lines, "--drs", "-p", "file:trees.conllu").out
    assert '\n% b1: x1 | PRESUPPOSITION(b2), female(x1), Name(x1, "anna")\n' in out
    assert "%%% line 1\n" in out
    assert "%%% line 2\n" not in out
    first, second = read_clauses(out.split("\n"), "out")
    assert (first.tokens, second.tokens) == (("Anna", "sings"), ("?",))
    assert second.drs is not None
    assert second.drs.clauses == ()
    # What is printed can be scored.
    metric = f"dr-or-*(parser=file:{write('boxes.clf', out)})"
    scores = cli("score", lines, "-i", lines, "--metric", metric, "--sentence-level", "--score-only").out
    assert [float(line) for line in scores.split()] == [1.0, 0.0, 0.0]

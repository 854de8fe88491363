"""``pfsm parse``, with a parser with random weights."""

import json
from pathlib import Path

import pytest

from pfsm.analysis.conllu import read_conllu
from pfsm.analysis.constituents import read_brackets
from pfsm.cli import main
from pfsm.english.labeller.weights import write_role_weights
from pfsm.english.parser.weights import write_weights
from tests.analysis.samples import CONLLU, nominal_weights, random_weights, role_weights


@pytest.fixture
def parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "cache"))
    write_weights(random_weights(), tmp_path / "x.parser")
    return str(tmp_path / "x.parser")


@pytest.fixture
def text(tmp_path: Path) -> str:
    (tmp_path / "a.txt").write_text("The cat sees (us).\n\nDogs sleep.\n")
    return str(tmp_path / "a.txt")


def test_conllu_of_every_line(parser: str, text: str, tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    assert main(["parse", text, "--parser", parser, "--output", str(out)]) == 0
    found = read_conllu(out)
    assert {sentence.comment("line") for sentence in found} == {"1", "3"}
    assert " ".join(form for s in found for form in s.forms) == "The cat sees ( us ) . Dogs sleep ."


def test_trees_of_brackets_line_by_line(parser: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", text, "-p", parser, "-f", "ptb", "--one-sentence", "--no-cache"]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines[1] == ""
    assert lines[0].startswith("(TOP (")
    assert "-LRB-" in lines[0]


def test_n_best_lists_have_probabilities(parser: str, text: str, tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    assert (
        main(["parse", text, "-p", parser, "-f", "nbest", "-n", "4", "--one-sentence", "-o", str(out)]) == 0
    )
    found = [sentence for sentence in read_conllu(out) if sentence.comment("line") == "3"]
    assert [sentence.comment("tree") for sentence in found] == ["1", "2", "3", "4"]
    values = [float(sentence.comment("log_probability") or "nan") for sentence in found]
    assert values == sorted(values, reverse=True)
    assert values[0] <= 0


def test_evaluation_with_words_and_from_text(
    parser: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gold.conllu").write_text(CONLLU)
    (tmp_path / "gold.ptb").write_text("(TOP (INTJ (UH Yes)))\n")
    assert len(read_brackets(tmp_path / "gold.ptb")) == 1
    arguments = ["parse", "--evaluate", str(tmp_path / "gold.conllu"), "-p", parser, "--json"]
    assert main([*arguments, "--brackets", str(tmp_path / "gold.ptb")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["lines"], found["words"]) == (2, 8)
    assert 100 / 8 <= found["UAS"] <= 100
    assert sum(row["arcs"] for row in found["calibration"]) > 0
    assert main([*arguments[:-1], "--raw", "--join", "2"]) == 0
    assert "1 lines, 8 words" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--raw"], "--raw goes with --evaluate"),
        (["-n", "3"], "--trees goes with --format nbest"),
        (["-f", "nbest", "-n", "1001"], "--trees is 1001, at most 1000"),
        (["--evaluate", "GOLD", "--join", "2"], "--join goes with --raw"),
        (["--evaluate", "GOLD", "--raw", "--brackets", "x"], "leave --raw out"),
        (["--evaluate", "GOLD", "--parser", "nothing"], "unknown; known are"),
        (["--parser", "file:GOLD", "-f", "ptb", "GOLD"], "has no analysis"),
    ],
)
def test_what_cannot_be_is_refused(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.conllu"
    gold.write_text(CONLLU)
    assert main(["parse", *(word.replace("GOLD", str(gold)) for word in arguments)]) == 2
    assert message in capsys.readouterr().err


ROLES = "# words = She\tsings\n2\tsing\tsing.01\tARG0:1-1\tV:2-2\n\n# words = Yes\n\n"


def test_roles_of_a_file_are_written_and_evaluated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roles, text = tmp_path / "roles.txt", tmp_path / "text.txt"
    roles.write_text(ROLES)
    text.write_text("Yes She sings\n")
    assert main(["parse", str(text), "-p", f"file:{roles}", "--roles"]) == 0
    written = capsys.readouterr().out
    assert "Pred=sing.01|Args=A0:1-1" in written
    assert "# roles = 0" in written
    assert main(["parse", str(text), "-p", f"file:{roles}", "-f", "roles"]) == 0
    assert capsys.readouterr().out == "1\tsings\tsing.01\tA0: She\n"
    assert main(["parse", "--roles", "--evaluate", str(roles), "-p", f"file:{roles}", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["arguments"]["f1"] == 100.0
    assert found["roles"]["A0"]["gold"] == 1
    gold = tmp_path / "gold.conllu"
    gold.write_text("1\tYes\t_\tINTJ\tUH\t_\t0\troot\t_\t_\n")
    assert main(["parse", "--roles", "--evaluate", str(gold), "-p", f"file:{roles}"]) == 2
    assert "--gold-roles" in capsys.readouterr().err
    arguments = [
        "parse",
        "--roles",
        "--evaluate",
        str(gold),
        "--gold-roles",
        str(roles),
        "-p",
        f"file:{roles}",
    ]
    assert main(arguments) == 0
    assert "1 lines, 0 predicates" in capsys.readouterr().out


NOMINAL_CONLLU = """\
1\tLove\t_\tNOUN\tNN\t_\t4\tnsubj\t_\tPred=love.01|Args=A1:2-3
2\tof\t_\tADP\tIN\t_\t3\tcase\t_\t_
3\tdogs\t_\tNOUN\tNNS\t_\t1\tnmod\t_\t_
4\tlasts\t_\tVERB\tVBZ\t_\t0\troot\t_\tPred=last.01|Args=A1:1-3
"""
GOLD_ROLES = "# words = We\tdo\tn't\tsing\t,\tAnna\t.\n4\tsing\tsing.01\tARG0:1-1\tV:4-4\n\n# words = Yes\n\n"


def test_roles_on_gold_trees_and_from_text(
    parser: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_role_weights(role_weights(), tmp_path / "x.roles")
    (tmp_path / "gold.conllu").write_text(CONLLU)
    (tmp_path / "roles.txt").write_text(GOLD_ROLES)
    (tmp_path / "gold.ptb").write_text("(TOP (INTJ (UH Yes)))\n")
    arguments = ["parse", "--roles", "--evaluate", str(tmp_path / "gold.conllu"), "-p", parser]
    arguments += ["--gold-roles", str(tmp_path / "roles.txt"), "--json"]
    for more in ([], ["--brackets", str(tmp_path / "gold.ptb")]):
        assert main([*arguments, "--gold-trees", *more]) == 0
        found = json.loads(capsys.readouterr().out)
        # The gold tags have one verb, and it is a predicate.
        assert found["predicates"]["f1"] == 100.0
        assert found["roles"]["A0"]["gold"] == 1
    assert main([*arguments, "--raw", "--join", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["lines"] == 1
    for more, message in (
        (["--gold-trees", "--raw"], "leave --raw"),
        (["--brackets", "x"], "--brackets goes with --gold-trees"),
        (["--gold-trees", "-p", f"file:{tmp_path / 'roles.txt'}"], "has no labeller"),
    ):
        assert main([*arguments, *more]) == 2
        assert message in capsys.readouterr().err
    arguments[3] = str(tmp_path / "roles.txt")
    assert main([*arguments, "--gold-trees"]) == 2
    assert "needs tags and a dependency tree" in capsys.readouterr().err


def test_nominal_predicates_are_written_and_evaluated(
    parser: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verbs_alone = tmp_path / "verbs.parser"
    verbs_alone.write_bytes(Path(parser).read_bytes())
    write_role_weights(role_weights(), tmp_path / "verbs.roles")
    assert main(["parse", text, "-p", str(verbs_alone), "--roles", "--nominal", "--no-cache"]) == 2
    assert "knows verbs alone" in capsys.readouterr().err
    write_role_weights(role_weights(nominal=nominal_weights(9.0)), tmp_path / "x.roles")
    for arguments in (["--roles"], ["-f", "roles"]):
        assert main(["parse", text, "-p", parser, *arguments, "--nominal", "--no-cache"]) == 0
        assert capsys.readouterr().out
    (tmp_path / "gold.conllu").write_text(NOMINAL_CONLLU)
    arguments = [
        "parse",
        "--roles",
        "--evaluate",
        str(tmp_path / "gold.conllu"),
        "-p",
        parser,
        "--gold-trees",
    ]
    assert main([*arguments, "--json"]) == 0
    verbs = json.loads(capsys.readouterr().out)
    assert "nominal" not in verbs
    assert main([*arguments, "--nominal", "--json"]) == 0
    both = json.loads(capsys.readouterr().out)
    nominal = both.pop("nominal")
    assert both == verbs
    # Every noun is called a predicate, and one of two is one.
    assert (nominal["predicates"]["precision"], nominal["predicates"]["recall"]) == (50.0, 100.0)
    assert nominal["roles"]["A1"]["gold"] == 1
    assert main([*arguments, "--nominal"]) == 0
    out = capsys.readouterr().out
    assert "verbs: 1 predicates, 1 arguments" in out
    assert "nominal predicates: 1 predicates, 1 arguments" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nominal"], "--nominal goes with --roles or --format roles"),
        (["--nominal", "-f", "ptb"], "--nominal goes with --roles or --format roles"),
        (["--nominal", "--evaluate", "x"], "--nominal goes with --roles"),
        (["--nominal", "--drs"], "leave --format, --roles and --nominal out"),
        (["--nominal", "--roles", "--evaluate", "ROLES", "-p", "file:ROLES"], "--nominal needs tags"),
    ],
)
def test_nominal_goes_with_roles(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "roles.txt").write_text(ROLES)
    given = [one.replace("ROLES", str(tmp_path / "roles.txt")) for one in arguments]
    assert main(["parse", *given]) == 2
    assert message in capsys.readouterr().err

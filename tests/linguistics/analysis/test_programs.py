"""Adapters, the cache, and analysing of many lines."""

import importlib.util
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm_linguistics.analysers import service
from pfsm_linguistics.analysers.programs import _of_document
from pfsm_linguistics.analysers.registry import get_analyser, pinned
from pfsm_linguistics.analysers.service import analyse_lines
from pfsm_linguistics.analysis.alignment import LineFinder, put_on_lines
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.parser.weights import write_weights
from tests.linguistics.analysis.samples import CONLLU, random_weights

STUB = """\
import sys
for line in sys.stdin:
    for sentence in line.strip().split(" | "):
        words = sentence.split()
        for number, word in enumerate(words, 1):
            print(number, word, "_", "X", "Y", "_", number - 1, "root" if number == 1 else "dep", "_", "_", sep="\\t")
        print()
"""


def chain(words: str) -> Analysis:
    tokens = tuple(words.split())
    return Analysis(
        tokens, (0,), trees=(DependencyTree(tuple(range(len(tokens))), ("x",) * len(tokens), -1.5),)
    )


def test_a_program_reads_lines_and_writes_conllu(tmp_path: Path) -> None:
    (tmp_path / "stub.py").write_text(STUB.replace(" | ", "/"))
    analyser = get_analyser(f"command:{sys.executable} {tmp_path / 'stub.py'}")
    found = analyser.analyse(["a b c", "d"], Wanted())
    assert [one.tokens for one in found] == [("a", "b", "c"), ("d",)]
    assert found[0].trees[0].heads == (0, 1, 2)
    assert [one.tokens for one in analyser.analyse(["a\nb\r\nc", "d"], Wanted())] == [("a", "b", "c"), ("d",)]
    # Another program of the same name is another version.
    (tmp_path / "stub.py").write_text(STUB)
    assert get_analyser(f"command:{sys.executable} {tmp_path / 'stub.py'}").label != analyser.label


def test_programs_that_fail_are_explained(tmp_path: Path) -> None:
    for program, message in (
        ("import sys; sys.exit('no model')", "ended with status 1: no model"),
        ("print('1')", "output of .*:1: 1 columns"),
        ("", "words differ from line 1"),
    ):
        (tmp_path / "stub.py").write_text(program)
        with pytest.raises(PfsmError, match=message):
            get_analyser(f"command:{sys.executable} {tmp_path / 'stub.py'}").analyse(["a b"], Wanted())


def test_parsers_that_are_not_there() -> None:
    for name, message in (
        ("no-such-parser", "unknown; known are"),
        ("command:no-such-program-here x", "no such program"),
        ("command:", "a name is needed after command:"),
        ("file:missing.conllu", "missing.conllu"),
    ):
        with pytest.raises(PfsmError, match=message):
            get_analyser(name)


def test_resources_are_read_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path))
    (tmp_path / "parses").write_text(CONLLU)
    (tmp_path / "parses").chmod(0o755)
    assert get_analyser("parses").analyse(["yes"], Wanted())[0].tokens == ("Yes",)
    (tmp_path / "en-ewt").write_text(CONLLU)
    with pytest.raises(PfsmError, match=r"^resource en-ewt: pfsm has a parser of this name"):
        get_analyser("en-ewt")


def test_files_are_found_by_characters(tmp_path: Path) -> None:
    (tmp_path / "gold.conllu").write_text(CONLLU)
    analyser = get_analyser(f"file:{tmp_path / 'gold.conllu'}")
    found = analyser.analyse(["We don't sing , Anna . Yes", "yes", ""], Wanted())
    assert found[0].sentences == (0, 7)
    assert found[0].trees[0].heads[3] == 0
    assert found[1].tokens == ("Yes",)
    assert found[2].tokens == ()
    with pytest.raises(PfsmError, match="has no analysis of 'We sing'"):
        analyser.analyse(["We sing"], Wanted())


def test_sentences_go_back_to_their_lines() -> None:
    sentences = [chain("a b"), chain("c"), chain("d e")]
    found = put_on_lines(sentences, ["ab c", "", "d e"], "x")
    assert [one.tokens for one in found] == [("a", "b", "c"), (), ("d", "e")]
    assert found[0].trees[0].heads == (0, 1, 0)
    with pytest.raises(PfsmError, match="sentences beyond the last line: 1"):
        put_on_lines(sentences, ["a b", "c"], "x")
    with pytest.raises(PfsmError, match="words differ from line 2"):
        put_on_lines(sentences, ["a b", "x"], "x")
    assert LineFinder(sentences).find("a b d e c") is not None


def test_letters_that_are_two_when_case_is_put_aside() -> None:
    found = LineFinder([chain("die Straße"), chain("e")]).find("Die Straße e")
    assert found is not None
    assert found.tokens == ("die", "Straße", "e")


def test_lines_are_analysed_once_and_then_come_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path))
    write_weights(random_weights(), tmp_path / "x.parser")
    name = str(tmp_path / "x.parser")
    lines = ["the cat", "the dog sees", "the cat", ""]
    steps: list[tuple[int, int]] = []
    first = analyse_lines(lines, name, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(3, 3)]
    assert [one.tokens for one in first] == [("the", "cat"), ("the", "dog", "sees"), ("the", "cat"), ()]

    class Deaf:
        label = service._loaded(name).label

        def analyse(self, lines: Sequence[str], wanted: Wanted) -> list[Analysis]:
            raise AssertionError("asked again")

    monkeypatch.setattr(service, "_loaded", lambda _: Deaf())
    again = analyse_lines(lines, name)
    assert [one.trees for one in again] == [one.trees for one in first]
    with pytest.raises(AssertionError, match="asked again"):
        analyse_lines(lines, name, cache=False)


def test_several_processes_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "PORTION", 2)
    write_weights(random_weights(), tmp_path / "x.parser")
    lines = [f"the cat sees {k} dogs" for k in range(5)]
    name = str(tmp_path / "x.parser")
    one, two = (analyse_lines(lines, name, processes=n, cache=False) for n in (1, 2))
    assert [a.trees for a in one] == [a.trees for a in two]


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals are POSIX's")
def test_processes_do_not_hear_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "PORTION", 1)
    # What a process does not hear, the programs that it starts do not hear either.
    (tmp_path / "stub.py").write_text(
        "import signal, sys\n"
        "tag = 'deaf' if signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []) else 'hears'\n"
        "print(f'({tag} {sys.stdin.read().strip()})')\n"
    )
    name = f"command:{sys.executable} {tmp_path / 'stub.py'}"
    found = analyse_lines(["a", "b"], name, processes=2, cache=False)
    assert [one.xpos for one in found] == [("deaf",), ("deaf",)]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.skipif(importlib.util.find_spec("spacy") is None, reason="spaCy is not installed")
def test_a_spacy_pipeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import spacy
    from spacy.tokens import Doc

    pipeline = spacy.blank("en")
    pipeline.to_disk(tmp_path / "blank")
    found = get_analyser(f"spacy:{tmp_path / 'blank'}").analyse(["Cats  sleep", ""], Wanted())
    # White space is a token of spaCy's, and none of ours.
    assert [(one.tokens, one.trees, one.xpos) for one in found] == [(("Cats", "sleep"), (), ()), ((), (), ())]
    words, heads = ["Cats", " ", "sleep"], [2, 0, 2]
    document = Doc(
        pipeline.vocab, words, heads=heads, deps=["nsubj", "dep", "ROOT"], tags=["NNS", "_SP", "VBP"]
    )
    parsed = _of_document(document)
    assert (parsed.tokens, parsed.xpos) == (("Cats", "sleep"), ("NNS", "VBP"))
    assert (parsed.trees[0].heads, parsed.trees[0].labels) == ((2, 0), ("nsubj", "root"))
    with pytest.raises(PfsmError, match=r"^spacy:no-such: cannot be loaded \(no such folder or package"):
        get_analyser("spacy:no-such")
    # Its files are compared with what a model needs before anything of it is loaded.
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path))
    needed = pinned("blank")
    assert get_analyser(needed).analyse(["Cats"], Wanted())[0].tokens == ("Cats",)
    (tmp_path / "blank" / "tokenizer").write_bytes(b"other")
    with pytest.raises(PfsmError, match="would score differently"):
        get_analyser(needed)
    with pytest.raises(PfsmError, match="blank: cannot be loaded"):
        get_analyser("blank").analyse(["Cats"], Wanted())

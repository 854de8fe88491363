"""Tokenisers, stemmers, analysers and formats of other packages."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pfsm import registry
from pfsm.data.formats import read_format
from pfsm.errors import PfsmError
from pfsm.model.builder import LatticeBuilder
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm.model.references import plugins_of
from pfsm.model.settings import settings_from_dict
from pfsm.text.languages import check_tokeniser
from pfsm.text.stemming import check_stemmer, stemmer_named, stemmer_names
from pfsm.text.vocabulary import Vocabulary
from pfsm_linguistics.analysers.registry import check_analysis, get_analyser
from pfsm_linguistics.analysers.service import analyse_lines
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree, Marginals
from tests.command_runs import Cli, Write
from tests.core.plugins.packages import installed

SOURCE = '''
    from pathlib import Path
    from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
    from pfsm.data.formats import Format, Judgment, Reading
    from pfsm.text.chunks import Tokeniser
    from pfsm.text.stemming import Stemmer

    def characters(line):
        return [letter for letter in line if not letter.isspace()]

    def cut(chunk):
        return [chunk[k:k + 2] for k in range(0, len(chunk), 2)]

    PAIRS = Tokeniser("pairs", lambda line: line.split(" "), cut)
    FIRST = Stemmer("first", lambda words: [word[:1] for word in words])

    def two(words):
        return [word[:2] for word in words]

    class Chain:
        """Each word hangs on the one before."""

        def __init__(self, argument):
            self.argument = argument
            self.label = f"chain-{argument or 'plain'}"

        def analyse(self, lines, wanted):
            return [self.analysis(line.split()) for line in lines]

        def analysis(self, words):
            heads = tuple(range(len(words)))
            tree = DependencyTree(heads, tuple("dep" if head else "root" for head in heads))
            return Analysis(tuple(words), (0,) if words else (), trees=(tree,))

    def read(paths, options):
        def records():
            for path in paths:
                for line in Path(path).read_text(encoding="utf-8").splitlines():
                    reference, ours, score = line.split("|")
                    more = {"score": float(score), "test_set": options.test_set}
                    yield Judgment(references=(reference,), hypothesis=ours, **more)
        return Reading(Judgment, ("test_set", "reference", "hypothesis", "score"), records())

    BARS = Format("bars", "fields between bars", frozenset({"test_set"}), read)
    MISNAMED = Format("other", "", frozenset(), read)
    OPTIONS = Format("options", "", frozenset({"colour"}), read)
    NO_RECORDS = Format("no-records", "", frozenset(), lambda *_: Reading(Judgment, ("reference",), iter(["x"])))
    NO_READING = Format("no-reading", "", frozenset(), lambda *_: [])
    NUMBER = 3

    def empty(line): return [""]
    def numbers(line): return [1]
    def few(words): return words[1:]
'''
POINTS = {
    "tokeniser": {"characters": "texts:characters", "pairs": "texts:PAIRS", "empty": "texts:empty",
                  "numbers": "texts:numbers", "number": "texts:NUMBER"},
    "stemmer": {"first": "texts:FIRST", "two": "texts:two", "few": "texts:few", "number": "texts:NUMBER"},
    "analyser": {"chain": "texts:Chain", "number": "texts:NUMBER", "no-analyser": "texts:two"},
    "format": {"bars": "texts:BARS", "misnamed": "texts:MISNAMED", "options": "texts:OPTIONS",
               "no-records": "texts:NO_RECORDS", "no-reading": "texts:NO_READING"},
}  # fmt: skip


@pytest.fixture(autouse=True)
def _package(site: Path) -> None:
    installed(site, "pfsm-texts", POINTS, {"texts": SOURCE}, "0.2")


def test_tokenisers() -> None:
    assert Vocabulary("characters").tokens("ab c") == ["a", "b", "c"]
    assert Vocabulary("pairs").tokens("abc de") == ["ab", "c", "de"]
    check_tokeniser("pairs")
    for name in ("empty", "numbers"):
        with pytest.raises(
            PfsmError, match=rf"^tokeniser '{name}': makes of 'ab c' the token .*, which is not text$"
        ):
            Vocabulary(name).encode(["ab c"])


def test_stemmers() -> None:
    assert stemmer_named("first").stems(["walk", "west", ""]) == ["w", "w", ""]
    vocabulary = Vocabulary("plain", "two")
    ids = vocabulary.encode(["walks walked west"]).ids
    assert np.unique(vocabulary.stem_ids[ids]).size == 2
    assert {"first", "two", "porter", "none"} <= set(stemmer_names())
    check_stemmer("first")
    with pytest.raises(PfsmError, match=r"^stemmer 'few': gives 1 stems of 2 words, or other than text$"):
        stemmer_named("few").stems(["a", "b"])


def test_what_is_none_of_its_kind() -> None:
    for kind, name, fault in (
        ("tokeniser", "number", "is neither a pfsm.text.chunks.Tokeniser nor a function of a line"),
        ("stemmer", "number", "is neither a pfsm.text.stemming.Stemmer nor a function of a list of words"),
        ("analyser", "number", "is neither a class nor a function"),
        ("format", "misnamed", "calls itself 'other'; its name must be 'misnamed'"),
        ("format", "options", "uses an option 'colour'; options are documents, "),
    ):
        with pytest.raises(
            PfsmError, match=f"^{kind} '{name}' of pfsm-texts 0.2: {fault}.*; see `docs/extending.md`$"
        ):
            registry.table(kind)[name]


def test_settings_and_signature() -> None:
    values = {"tokeniser": "characters", "stemmer": "first", "language": "de", "matchers": ["word", "lemma"]}
    settings = settings_from_dict(values, "x")
    assert plugins_of(settings) == {
        "tokenisers": {"characters": "pfsm-texts 0.2"},
        "stemmers": {"first": "pfsm-texts 0.2"},
    }
    signature = Metric(Model("x", settings), 1).get_signature(1)
    assert "|tok:characters(pfsm-texts@0.2)|stem:first(pfsm-texts@0.2)|" in signature
    lattices = LatticeBuilder(settings).build(["ab"], ["a b"])
    assert lattices.lattices.lengths.tolist() == [4]


def test_analysers(cli: Cli, write: Write, site: Path) -> None:
    analyser = get_analyser("chain:x")
    assert analyser.label == "chain-x(pfsm-texts@0.2)"
    assert get_analyser("chain").label == "chain-plain(pfsm-texts@0.2)"
    (found,) = analyse_lines(["a b c"], "chain:x", cache=False)
    assert found.trees[0].heads == (0, 1, 2)
    parsed = cli("parse", write("text.txt", "a b\n"), "--parser", "chain", "--no-cache")
    assert parsed.status == 0
    assert "2\tb\t_\t_\t_\t_\t1\tdep\t_\t_" in parsed.out
    with pytest.raises(PfsmError, match=r"known are en-ewt, .*file:…, chain:…"):
        get_analyser("chian:x")
    with pytest.raises(
        PfsmError, match=r"^analyser 'no-analyser': an analyser has a label and a method analyse"
    ):
        get_analyser("no-analyser")


TREE = DependencyTree((0, 1), ("root", "dep"))


def marginals(dependent: Sequence[int], head: Sequence[int], probability: Sequence[float]) -> Marginals:
    return Marginals(
        ("dep",),
        np.array(dependent, dtype=np.int32),
        np.array(head, dtype=np.int32),
        np.zeros(len(head), dtype=np.int32),
        np.array(probability),
    )


GOOD = (
    Analysis(
        ("ab", "c"), (0,), ("X", "X"), trees=(TREE,), marginals=marginals([0, 0, 1], [0, 2, 1], [0.5, 0.5, 1])
    ),
    Analysis(("a", "b", "c"), (0, 2)),
)
BAD = [
    (("ab", "d"), (0,), {}, "its words are not those of the line 'ab c'"),
    (("ab", "c"), (), {}, "sentences of 'ab c' begin at"),
    (("ab", "c"), (0,), {"upos": ("X",)}, "upos of 'ab c' has 1 tags for 2 words"),
    (("ab", "c"), (0,), {"trees": (DependencyTree((0,), ("root",)),)}, "has 1 heads for 2 words"),
    (("ab", "c"), (0,), {"trees": (DependencyTree((0, 3), ("", "")),)}, "a head of 'ab c' is 3"),
    (("ab", "c"), (0,), {"trees": (DependencyTree((2, 1), ("", "")),)}, "has a cycle"),
    (("ab", "c"), (0,), {"marginals": marginals([2], [0], [1.0])}, "are not of its words"),
    (("ab", "c"), (0,), {"marginals": marginals([1], [0], [1.5])}, "not from 0 to 1"),
    (("ab", "c"), (0,), {"marginals": marginals([1, 1], [0, 1], [0.9, 0.9])}, "add up to more than 1"),
]


def test_analyses_are_checked() -> None:
    for good in GOOD:
        check_analysis(good, "ab c")
    for tokens, sentences, further, fault in BAD:
        with pytest.raises(PfsmError, match=fault):
            check_analysis(Analysis(tokens, sentences, **further), "ab c")  # type: ignore[arg-type]


def test_formats(cli: Cli, write: Write) -> None:
    judged = write("judged.bars", "the cat|a cat|1.5\na|b|2\n")
    reading = read_format([judged], name="bars")
    assert [record.score for record in reading.records] == [1.5, 2.0]  # type: ignore[union-attr]
    converted = cli("data", "convert", judged, "--from", "bars", "--test-set", "x", "-o", "out.tsv")
    assert converted.status == 0
    assert Path("out.tsv").read_text(encoding="utf-8").splitlines()[1] == "x\tthe cat\ta cat\t1.5"
    fault = cli("data", "convert", judged, "--from", "bars", "--source-lang", "cs", "-o", "o.tsv").fault
    assert fault == "--source-lang does not apply to bars, which uses --test-set"
    with pytest.raises(PfsmError, match=r"^format 'no-reading': gives a list, a Reading is needed$"):
        read_format([judged], name="no-reading")
    with pytest.raises(
        PfsmError, match=r"^format 'no-records': gives a str, it said that it reads Judgment$"
    ):
        list(read_format([judged], name="no-records").records)

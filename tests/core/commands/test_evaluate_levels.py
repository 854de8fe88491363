"""`pfsm evaluate` with its levels, statistics and sources of scores: against SciPy, sacrebleu and the functions."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from scipy import stats

import pfsm
from pfsm.evaluation import king, mean_removed_pearson, pearson, williams_test
from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv
from tests.model_cases import saved

FAST = ("-f", "json", "--confidence-n", "40")
LANGUAGES, SYSTEMS, SEGMENTS = ("cs", "de"), "abcde", 6
# TER is an error rate; experiments and `pfsm evaluate` want higher scores to be better.
SACREBLEU: dict[str, Callable[..., float]] = {
    "bleu": lambda *texts: float(sacrebleu.corpus_bleu(*texts).score),
    "chrf": lambda *texts: float(sacrebleu.corpus_chrf(*texts).score),
    "ter": lambda *texts: -float(sacrebleu.corpus_ter(*texts).score),
}


class Made:
    """Two languages, six segments in three documents, of the same names in both; five systems; rows in no order."""

    def __init__(self) -> None:
        cells = list(product(LANGUAGES, range(SEGMENTS), SYSTEMS))
        texts = rows(len(cells), seed=8)
        order = np.random.default_rng(2).permutation(len(cells)).tolist()
        self.cells = [cells[at] for at in order]
        self.rows = [(texts[at - at % len(SYSTEMS)][0], *texts[at][1:]) for at in order]
        self.human = np.array([float(score) for *_, score in self.rows])
        self.other = np.round(np.random.default_rng(6).normal(size=len(cells)), 2)
        self.segments = [f"{segment}" for _, segment, _ in self.cells]
        self.columns: dict[str, Any] = {
            "source_lang": [language for language, *_ in self.cells],
            "segment_id": self.segments,
            "system": [system for *_, system in self.cells],
            "document": [f"talk {segment // 2}" for _, segment, _ in self.cells],
            "other": [str(score) for score in self.other],
        }

    def tsv(self, *left_out: str, **changed: Any) -> str:
        kept = {name: fields for name, fields in self.columns.items() if name not in left_out}
        return tsv(self.rows, **(kept | changed))

    def correlation(self, metric: str, language: str, level: str) -> float:
        """SciPy's correlation of sacrebleu's corpus scores with people's means."""

        def key(cell: tuple[str, int, str]) -> tuple[Any, ...]:
            return cell[2:] if level == "system" else (cell[1] // 2, cell[2])

        scores, means = [], []
        for one in sorted({key(cell) for cell in self.cells}):
            chosen = [at for at, cell in enumerate(self.cells) if cell[0] == language and key(cell) == one]
            texts = [self.rows[at][1] for at in chosen], [[self.rows[at][0] for at in chosen]]
            scores.append(SACREBLEU[metric](*texts))
            means.append(self.human[chosen].mean())
        return float(stats.pearsonr(scores, means).statistic)


@pytest.fixture
def made(write: Write) -> Made:
    judgments = Made()
    write("d.tsv", judgments.tsv())
    return judgments


@pytest.mark.parametrize(
    ("metric", "level"), [("bleu", "system"), ("chrf", "document"), ("ter", "system"), ("ter", "document")]
)
def test_against_sacrebleu(metric: str, level: str, made: Made, cli: Cli) -> None:
    command = ["evaluate", "d.tsv", "--metric", metric, "--level", level, "--statistics", "pearson", *FAST]
    found = cli(*command).document
    groups = found["correlation"]["groups"]
    expected = {language: made.correlation(metric, language, level) for language in LANGUAGES}
    assert {one["group"]: one["pearson"]["value"] for one in groups} == pytest.approx(expected, abs=1e-9)
    assert found["signature"] == get_metric(metric).get_signature(1, "corpus")


def test_documents_stay_apart_where_languages_are_no_groups(cli: Cli, write: Write, made: Made) -> None:
    """A document is identified by its name, language, group and test set, but not by its file."""
    keys = [(language, segment // 2, system) for language, segment, system in made.cells]
    of_documents = sorted(set(keys))
    means = np.array(
        [
            [scores[[key == one for key in keys]].mean() for one in of_documents]
            for scores in (made.other, made.human)
        ]
    )
    names = [key[:2] for key in of_documents]
    left = means - np.array([[row[[one == name for one in names]].mean() for name in names] for row in means])
    languages = made.columns["source_lang"]
    for columns in ({"source_lang": "", "test_set": languages}, {"target_lang": languages}, {}):
        write("e.tsv", made.tsv(kind="all", **columns))
        command = ("--column", "other", "--level", "document", "--by", "kind", "--statistics", "mean-removed")
        (entry,) = cli("evaluate", "e.tsv", *command, *FAST).document["correlation"]["groups"]
        assert entry["n"] == len(of_documents)
        assert entry["mean_removed"]["value"] == pytest.approx(stats.pearsonr(*left).statistic, abs=1e-10)


def test_within_segments_by_default_where_they_have_several_translations(
    cli: Cli, write: Write, made: Made
) -> None:
    found = cli("evaluate", "d.tsv", "--column", "other", *FAST).document["correlation"]
    of_czech = [at for at, cell in enumerate(made.cells) if cell[0] == "cs"]
    within = mean_removed_pearson(
        made.other[of_czech], made.human[of_czech], [made.segments[at] for at in of_czech]
    )
    assert found["groups"][0]["mean_removed"]["value"] == pytest.approx(within)
    lines = made.tsv().splitlines(keepends=True)
    write("one.tsv", "".join(lines[:1] + [line for line in lines if line.split("\t")[2] == "a"]))
    found = cli("evaluate", "one.tsv", "--column", "other", *FAST).document["correlation"]
    assert "mean_removed" not in found["groups"][0]


def test_a_file_of_scores_is_the_column(cli: Cli, write: Write, made: Made) -> None:
    write("scores.txt", "".join(f"{score}\n" for score in made.other))
    found = cli("evaluate", "d.tsv", "--scores", "scores.txt", *FAST).document
    column = cli("evaluate", "d.tsv", "--column", "other", *FAST).document
    assert found["correlation"] == column["correlation"]
    assert found["name"] == "scores.txt"


REFUSED = [
    ("d.tsv --column system", "d.tsv:2: system is '{}', a finite number is needed"),
    ("d.tsv --scores few.txt", "few.txt: 2 lines, but the data has 60 rows"),
    ("d.tsv --scores wide.txt", "wide.txt:3: 2 scores, 1 needed for d.tsv"),
    ("d.tsv --statistics pearson,persimmon",
     "--statistics: no 'persimmon' here; did you mean pearson?; there are pearson"),
    ("d.tsv --statistics king", "king needs two references of a segment"),
    ("d.tsv --statistics king --column other", "king scores references too, for which 'other'"),
    ("d.tsv --versus nope.json", "nope.json: "),
    ("plain.tsv --level document", "plain.tsv: no column 'document'; the columns are 'other', "),
    ("holes.tsv --level document", "holes.tsv:5: document is empty, a name is needed"),
    ("alone.tsv --level document --statistics mean-removed", "mean-removed compares translations of a document, "),
    ("numbered.tsv --level document --score-column document", "'document' holds people's scores; "),
    ("d.tsv --column other --level document --resample segments",
     "the document level resamples documents, not segments"),
    ("d.tsv --column other --level system --resample systems",
     "the system level compares systems, so every resample must hold each of them; resample segments, "),
    ("d.tsv --column other --statistics pearson,mean-removed --resample judgments",
     "mean-removed compares translations of one segment, which resampling judgments would tear apart; "),
    ("holes.tsv --column other --resample documents",
     "resampling documents needs the column 'document', filled in every row"),
    ("d.tsv --column other --statistics document-pearson,spearman",
     "--statistics: document-pearson of documents and spearman of segments; ask about one level at a time"),
]  # fmt: skip


def test_refusals(cli: Cli, write: Write, made: Made) -> None:
    write("few.txt", "1\n2\n")
    write("wide.txt", "1\n1\n1\t2\n" + "1\n" * 57)
    documents = made.columns["document"]
    write("holes.tsv", made.tsv(document=[*documents[:3], " ", *documents[4:]]))
    write("plain.tsv", made.tsv("source_lang", "segment_id", "system", "document"))
    write("alone.tsv", made.tsv(system="a", document=[f"talk {at}" for at in range(60)]))
    write("numbered.tsv", made.tsv(document="1"))
    for arguments, fault in REFUSED:
        expected = fault.format(made.columns["system"][0])
        assert cli("evaluate", *arguments.split()).fault.startswith(expected), arguments


TABLE = (
    # segment, reference, reference_2, reference_3, hypothesis
    ("1", "a red bird", "the red bird", "", "a red bird"),
    ("1", "a red bird", "the red bird", "", "bird"),
    ("2", "small house", "a small house", "the small house", "river"),
    ("3", "birds sing", "", "", "birds sing"),
)


def test_references_are_held_out_in_turn(cli: Cli, write: Write, tmp_path: Path) -> None:
    saved(tmp_path)
    names = ["segment_id", "reference", "reference_2", "reference_3", "hypothesis", "score"]
    write("likeness.tsv", "".join("\t".join(row) + "\n" for row in [names, *((*row, "1") for row in TABLE)]))
    score = pfsm.load("hand.json").score_pairs
    human, automatic, cases = [], [], []
    for segment in ("1", "2"):
        part = [row for row in TABLE if row[0] == segment]
        references = [text for text in part[0][1:4] if text]
        for held in references:
            others = [text for text in references if text != held]
            human.append(max(score([held] * len(others), others)))
            for row in part:
                automatic.append(max(score([row[4]] * len(others), others)))
                cases.append(len(human) - 1)
    expected = king(human, range(len(human)), automatic, cases)
    command = ("evaluate", "likeness.tsv", "-m", "hand.json", "--statistics", "king,pearson", *FAST)
    result = cli(*command).document
    (entry,) = result["likeness"]["groups"]
    assert entry["n"] == len(human) == 5
    assert entry["king"]["value"] == pytest.approx(expected)
    assert 0 < expected < 1
    assert "pearson" in result["correlation"]["mean"]


def test_williams_where_judgments_are_independent(cli: Cli, write: Write, made: Made) -> None:
    """Judgments that share a reference are not independent, unless the user says so."""
    write("several.tsv", made.tsv("source_lang", "segment_id", "system", "document"))
    write("alone.tsv", tsv(rows(30, seed=9), other=[str(score) for score in made.other[:30]]))
    asked = ("--metric", "length_ratio", "--versus", "column:other")
    for name, more, is_there in (
        ("several.tsv", (), False),
        ("several.tsv", ("--resample", "judgments"), True),
        ("alone.tsv", (), True),
    ):
        found = cli("evaluate", name, *asked, *more, *FAST).document["versus"]["correlation"]
        assert ("williams_p" in found["pearson"]["groups"][0]) is is_there
        assert "williams_p" not in found["spearman"]["groups"][0]
    human = np.array([float(row[2]) for row in rows(30, seed=9)])
    metric = get_metric("length_ratio").score_pairs(
        *[[row[side] for row in rows(30, seed=9)] for side in (1, 0)]
    )
    other = made.other[:30]
    expected = williams_test(pearson(human, metric), pearson(human, other), pearson(metric, other), 30)
    assert found["pearson"]["groups"][0]["williams_p"] == pytest.approx(expected.p_value)
    assert found["unit"] == "judgments"
    body = cli("evaluate", "alone.tsv", *asked, "--confidence-n", "40").out
    assert "Williams p" in body
    assert f"{expected.p_value:.4f}" in body

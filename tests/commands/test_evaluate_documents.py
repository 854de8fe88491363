"""`pfsm evaluate --level document`, against SciPy over means taken one by one."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from pfsm.evaluation import paired_bootstrap_correlations, perm_both
from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv

FAST = ("-f", "json", "--confidence-n", "40")
DOCUMENT = ("--column", "other", "--level", "document")


class Made:
    """Two languages with four documents of one to four segments each, of the same names; systems a, b and c."""

    def __init__(self, systems: str = "abc") -> None:
        cells = [
            (language, f"talk {number}", system)
            for language in ("cs", "de")
            for number in range(4)
            for _ in range(number + 1)
            for system in systems
        ]
        order = np.random.default_rng(2).permutation(len(cells))
        self.languages, self.documents, self.systems = zip(*[cells[at] for at in order], strict=True)
        self.texts = rows(len(cells), seed=5)
        self.human = [float(row[2]) for row in self.texts]
        self.other = np.round(np.random.default_rng(6).normal(size=len(cells)), 2).tolist()
        self.columns: dict[str, Any] = {
            "source_lang": self.languages,
            "document": self.documents,
            "system": self.systems,
            "other": [str(score) for score in self.other],
        }

    def tsv(self, *left_out: str, **changed: Any) -> str:
        columns = {name: fields for name, fields in self.columns.items() if name not in left_out}
        return tsv(self.texts, **(columns | changed))

    def means(self, scores: list[float]) -> dict[tuple[str, str, str], float]:
        """By language, document and system."""
        keys = list(zip(self.languages, self.documents, self.systems, strict=True))
        return {
            key: float(np.mean([score for one, score in zip(keys, scores, strict=True) if one == key]))
            for key in sorted(set(keys))
        }


@pytest.fixture
def made(write: Write) -> Made:
    judgments = Made()
    write("d.tsv", judgments.tsv())
    return judgments


def test_documents_stay_apart_where_languages_are_no_groups(cli: Cli, write: Write, made: Made) -> None:
    """A document is identified by its name, language, group and test set, but not by its file."""
    separate = [
        {"source_lang": "", "test_set": list(made.languages)},
        {"source_lang": "en", "target_lang": list(made.languages)},
        {},
    ]
    keys = list(made.means(made.other))
    means = np.array([list(made.means(scores).values()) for scores in (made.other, made.human)])
    names = [f"{language} {document}" for language, document, _ in keys]
    left = means - np.array([[row[[one == name for one in names]].mean() for name in names] for row in means])
    for number, columns in enumerate(separate):
        write(f"{number}.tsv", made.tsv(kind="all", **columns))
        found = cli(
            "evaluate", f"{number}.tsv", *DOCUMENT, "--by", "kind", "--statistics", "mean-removed", *FAST
        ).document["correlation"]
        (entry,) = found["groups"]
        assert entry["n"] == 24
        assert entry["mean_removed"]["value"] == pytest.approx(stats.pearsonr(*left).statistic, abs=1e-10)


@pytest.mark.parametrize("test", ["bootstrap", "perm-both"])
@pytest.mark.parametrize("name", ["pearson", "mean-removed"])
def test_versus(cli: Cli, made: Made, test: str, name: str) -> None:
    """The tests of segments, with documents for segments and their means for scores."""
    ratio = get_metric("length_ratio").score_pairs(
        [row[1] for row in made.texts], [row[0] for row in made.texts]
    )
    command = ("--versus", "metric:length_ratio", "--test", test, "--statistics", name)
    found = cli("evaluate", "d.tsv", *DOCUMENT, *command, *FAST).document["versus"]["correlation"]
    assert found["unit"] == "documents"
    keys = list(made.means(made.human))
    human, other, versus = (
        list(made.means(scores).values()) for scores in (made.human, made.other, ratio.tolist())
    )
    documents = [f"{language} {document}" for language, document, _ in keys]
    groups = [language for language, _, _ in keys]
    if test == "bootstrap":
        expected = paired_bootstrap_correlations(
            human, other, versus, groups, name, 40, 12345, segments=documents
        )
    else:
        expected = perm_both(
            human, other, versus, documents, statistic=name, n_permutations=40, seed=12345, groups=groups
        )
    entry = found[name.replace("-", "_")]
    assert expected.pooled is not None
    for part, result in (("mean", expected.mean), ("pooled", expected.pooled)):
        assert entry[part]["difference"] == pytest.approx(result.difference, abs=1e-9)
        assert entry[part]["p_value"] == pytest.approx(result.p_value)
    assert "williams_p" not in entry["groups"][0]


def test_refusals(cli: Cli, write: Write, made: Made) -> None:
    write("documents.tsv", made.tsv("document"))
    holes = list(made.documents)
    holes[3] = " "
    write("holes.tsv", made.tsv(document=holes))
    write("alone.tsv", Made("a").tsv())
    write("numbered.tsv", made.tsv(document="1"))
    for arguments, fault in (
        (("documents.tsv",), "documents.tsv: no column 'document'; the columns are 'source_lang', "),
        (("holes.tsv",), "holes.tsv:5: document is empty, a name is needed"),
        (("alone.tsv", "--statistics", "mean-removed"), "mean-removed compares translations of a document, "),
        (("numbered.tsv", "--score-column", "document"), "'document' holds people's scores; "),
    ):
        assert cli("evaluate", *arguments, "--level", "document").fault.startswith(fault)

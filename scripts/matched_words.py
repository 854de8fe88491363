"""Whether a model matches the words that both sides have, as those expect who read its explanations.

    python scripts/matched_words.py MODEL [MODEL …]

prints the share of the tokens of both sides that the best edits match, and the share that is expected under the
posteriors, in about 200 pairs of WMT15 and WMT16 in the data folder named by PFSM_DATA.
"""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pfsm.data import Judgments, read_judgments
from pfsm.errors import PfsmError
from pfsm.model.metric import Metric
from pfsm.model.shipped import load

sys.path.insert(0, str(Path(__file__).resolve().parent))
from real_data import data_folder, into_english

MATCHES = ("S_word", "S_punct", "S_num")
LEAST = 0.6
SETS = ("wmt15-daseg", "wmt16-daseg")


class Matched(NamedTuple):
    """Of the tokens that both sides have, case aside, the share that is matched.

    Attributes:
        best: By the best edits.
        expected: Under the posteriors of the edits.
    """

    best: float
    expected: float


def main() -> None:
    """Prints the shares of the models that are named."""
    sources = [path for name in SETS for path in into_english(data_folder() / name)]
    some = some_of(Judgments.join([read_judgments(path) for path in sources]))
    print("| | best edits | expected |", "|---|--:|--:|", sep="\n")
    for name in sys.argv[1:]:
        matched = matched_words(load(name), some)
        print(f"| `{name}` | {matched.best:.0%} | {matched.expected:.0%} |")


def some_of(judgments: Judgments) -> list[tuple[str, str]]:
    """About 200 hypotheses and their references, from all over the judgments."""
    step = 1 + len(judgments) // 200
    return list(zip(judgments.hypotheses[::step], judgments.references[::step], strict=True))


def check_matches(metric: Metric, pairs: Iterable[tuple[str, str]]) -> None:
    """Refuses a model whose best edits delete and insert words that could be matched.

    Args:
        metric: With the model.
        pairs: Hypotheses and their references.

    Raises:
        PfsmError: If fewer than `LEAST` of the tokens that two sides share are matched.
    """
    share = matched_words(metric, pairs).best
    if share < LEAST:
        raise PfsmError(
            f"{metric.model.name}: matches {share:.0%} of the words that both sides have, and deletes and inserts the "
            f"others; {LEAST:.0%} are wanted, so that explanations can be read"
        )


def matched_words(metric: Metric, pairs: Iterable[tuple[str, str]]) -> Matched:
    """How many of the words of both sides are matched; all of them where there are none."""
    matched = shared = 0
    expected = 0.0
    for hypothesis, reference in pairs:
        explanation = metric.explain(hypothesis, reference)
        sides = (explanation.hypothesis, explanation.reference)
        ours, theirs = (Counter(token.lower() for token in side) for side in sides)
        shared += (ours & theirs).total()
        matched += sum(edit.state.startswith(MATCHES) for edit in explanation.edits)
        expected += sum(one.posterior for one in explanation.contributions if one.state.startswith(MATCHES))
    return Matched(matched / shared, expected / shared) if shared else Matched(1.0, 1.0)


if __name__ == "__main__":
    main()

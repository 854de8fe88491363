"""Whether a model matches the words that both sides have, as those expect who read its explanations."""

from collections import Counter
from collections.abc import Iterable

from pfsm.errors import PfsmError
from pfsm.model.metric import Metric

MATCHES = ("S_word", "S_punct", "S_num")
LEAST = 0.6


def check_matches(metric: Metric, pairs: Iterable[tuple[str, str]]) -> None:
    """Refuses a model whose best edits delete and insert words that could be matched.

    Args:
        metric: With the model.
        pairs: Hypotheses and their references.

    Raises:
        PfsmError: If fewer than `LEAST` of the tokens that two sides share are matched.
    """
    share = matched_share(metric, pairs)
    if share < LEAST:
        raise PfsmError(
            f"{metric.model.name}: matches {share:.0%} of the words that both sides have, and deletes and inserts the "
            f"others; {LEAST:.0%} are wanted, so that explanations can be read"
        )


def matched_share(metric: Metric, pairs: Iterable[tuple[str, str]]) -> float:
    """Of the tokens that both sides have, case aside, the share that the best edits match."""
    matched = shared = 0
    for hypothesis, reference in pairs:
        explanation = metric.explain(hypothesis, reference)
        sides = (explanation.hypothesis, explanation.reference)
        ours, theirs = (Counter(token.lower() for token in side) for side in sides)
        shared += (ours & theirs).total()
        matched += sum(edit.state.startswith(MATCHES) for edit in explanation.edits)
    return matched / shared if shared else 1.0

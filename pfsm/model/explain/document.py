"""An explanation as plain values that JSON can hold."""

from dataclasses import asdict, replace
from typing import Any

from pfsm.model.explain.explanation import Explanation


def explanation_document(explanation: Explanation, mean: float | None = None) -> dict[str, Any]:
    """What there is to an explanation: without edits nothing that would look like an empty alignment.

    ``score`` is the segment's, as `pfsm score` gives it. Where that is a mean over references, ``score_of_reference``
    is the score against the reference that is explained, to which the contributions add up.

    Args:
        explanation: The explanation.
        mean: The mean over references; None: the score is that of the explanation.
    """
    values = asdict(replace(explanation, contributions=tuple(explanation.contributions)))
    if explanation.encoder is None:
        del values["encoder"]
    if not explanation.agreements:
        del values["agreements"]
    if mean is not None:
        values |= {"score": mean, "score_of_reference": explanation.score}
    if explanation.edited:
        return {**values, "alignment": explanation.alignment}
    return {key: value for key, value in values.items() if key not in {"edits", "contributions", "entropy"}}

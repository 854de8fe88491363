"""What is a series of pairs, and what is not."""

from collections.abc import Sequence


def check_pairs(hypotheses: Sequence[str], references: Sequence[str]) -> None:
    """Refuses what is no series of pairs.

    Raises:
        ValueError: If the lists differ in length, or one of them is a single string.
    """
    for name, value in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(value, str):
            raise ValueError(f"{name} must be a list of strings, not one string")
    if len(references) != len(hypotheses):
        raise ValueError(f"{len(references)} references for {len(hypotheses)} hypotheses")

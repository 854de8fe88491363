"""What messages say about an unknown name, and the keys of a training."""

from collections.abc import Sequence
from difflib import get_close_matches

# Characters: what fits on a line with the rest of the message.
_FEW = 110
_MOST = 3
# Similarity by difflib's measure, 0 to 1.
_ALIKE = 0.7


def known_names(name: object, known: Sequence[str], listing: str) -> str:
    """All known names if they are few; else the most similar ones and where to find the full list.

    Args:
        name: The unknown name, not necessarily text; options in parentheses after it are ignored.
        known: The known names, in the order in which to list them.
        listing: Where to find the full list: a command or a page of the documentation.
    """
    everything = ", ".join(known)
    if len(everything) <= _FEW:
        return f"known are {everything}"
    # Names of metrics are often written in capitals.
    by_letters = {one.casefold(): one for one in known}
    wanted = str(name).partition("(")[0].strip().casefold()
    near = [by_letters[one] for one in get_close_matches(wanted, by_letters, _MOST, _ALIKE)]
    meant = f"did you mean {' or '.join(filter(None, (', '.join(near[:-1]), near[-1])))}? " if near else ""
    return f"{meant}{listing} lists all"


# Our nearest to metrics of other tools: part of their names, in order, and what to say.
_NEAREST = {
    **dict.fromkeys(("bertscore", "moverscore"), "--metric embedding_f1"),
    **dict.fromkeys(("comet", "bleurt", "metricx", "unite", "yisi", "prism"), "a model (--model en)"),
    "rouge": "--metric rouge-l",
    "gleu": "--metric bleu",
    "chrf2++": "--metric chrf++",
    "chrf2": "--metric chrf",
    "tercom": "--metric ter",
    "hter": "--metric ter",
}


def nearest(name: str) -> str:
    """Say what comes nearest to another tool's metric; ``""`` if it is none that we know."""
    wanted = name.casefold().replace("-", "").replace("_", "")
    found = next((ours for theirs, ours in _NEAREST.items() if theirs in wanted), "")
    return found and f"{found} comes nearest"


TRAINING = (
    "lambda",
    "lambda_rule",
    "solver",
    "start",
    "objective",
    "mixture",
    "edit_cost",
    "self_match",
    "encoder",
    "minimal_pairs",
    "weights",
)
# What the paper does otherwise.
SWITCHES = ("standardise",)

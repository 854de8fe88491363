"""How often people order two systems as a difference of scores does: shares of pairs of systems in campaigns.

Learned by ``scripts/build_agreement.py`` for the shipped models.
"""

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any

# Beyond these multiples of the fewest and most segments that a share was learned from, it says nothing.
FEWER, MORE = 0.5, 4.0


@cache
def _learned() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (files("pfsm.resources") / "agreement.json").read_text(encoding="utf-8")
    )
    return found


def people_agree(short_signature: str, difference: float, n_segments: int) -> float | None:
    """The share of pairs of systems as far apart as this that people ordered alike, from 0 to 1.

    Args:
        short_signature: Of the scores, with one reference; None for all but those of shipped models.
        difference: Of the scores of two systems, in points of the model.
        n_segments: What they are means over; None comes of a number far from those that the shares were learned from.
    """
    _, _, rest = short_signature.partition(":")
    name, _, rest = rest.partition(":")
    found = _learned().get(name)
    # weights:version; several references stand between them.
    if found is None or rest.split(":")[:-1] != [found["weights"]] or not math.isfinite(difference):
        return None
    fewest, most = found["segments"]
    if not difference or not FEWER * fewest <= n_segments <= MORE * most:
        return None
    return next(float(share) for least, share in reversed(found["steps"]) if abs(difference) >= least)

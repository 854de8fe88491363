"""TERp's options: kinds of edits and what they cost, tables, words.

The features of TERp (Kahn, Snover and Ostendorf 2009, section 6.1): set T, one cost for each of matches, insertions,
deletions, substitutions, shifts, synonyms and stems; set P, four for paraphrases: with e the edits between the two
phrases and p the probability of the pair, a paraphrase costs

    paraphrase + e (paraphrase_log log10 p + paraphrase_probability p + paraphrase_edits)

(Snover et al. 2009). An insertion is a word that the hypothesis lacks, a deletion one that it has too many.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.lexicons.meteor import FULL_NAME as METEOR_TABLE
from pfsm.lexicons.registry import check_reference
from pfsm.matchers.synonym import DEFAULT_TABLE as SYNONYM_TABLE
from pfsm.metrics.names import read_options
from pfsm.runtime.options import Option, Options, anything, number, one_of, with_defaults

Float = NDArray[np.float64]

T = ("match", "insertion", "deletion", "substitution", "shift", "synonym", "stem")
P = ("paraphrase", "paraphrase_log", "paraphrase_probability", "paraphrase_edits")
KINDS = (*T, *P)
_ZERO = dict.fromkeys(KINDS, 0.0)
# ``tuned``: on WMT15's direct assessments by `pfsm tune`, rounded so that either table has the same. ``ter``: TER's,
# and what a word is worth that is not the same but nearly.
TUNED, TER = "tuned", "ter"
COSTS: Mapping[str, Mapping[str, float]] = {
    TUNED: {
        **_ZERO,
        "insertion": 1.4,
        "deletion": 0.3,
        "substitution": 1.3,
        "shift": 1.0,
        "synonym": 0.2,
        "paraphrase": 0.2,
    },
    TER: {
        **_ZERO,
        **dict.fromkeys(("insertion", "deletion", "substitution", "shift"), 1.0),
        **dict.fromkeys(("synonym", "stem", "paraphrase"), 0.3),
    },
}


def cost_vector(costs: Mapping[str, float]) -> Float:
    """The costs in the order of `KINDS`, float64 [11]."""
    return np.array([costs[kind] for kind in KINDS])


# With METEOR's paraphrases; with those that ship.
NAMES = TERP, BASE = ("terp", "terp-base")
LEARNED_TABLE = "learned-en"
STEM, SYNONYM, PARAPHRASE = "stem", "synonym", "paraphrase"
EDITS = (STEM, SYNONYM, PARAPHRASE)
NO_EDITS = "none"
# Words as METEOR has them, or as TER has them: what stands between white space, in lower case.
TOKENISERS = METEOR, TER = ("meteor", "ter")


@dataclass(frozen=True)
class Resources:
    """What edits are found with.

    Attributes:
        edits: Which there are beyond TER's.
        tokeniser: What words are.
        synonyms: Name of a table.
        paraphrases: Likewise.
    """

    edits: tuple[str, ...]
    tokeniser: str
    synonyms: str
    paraphrases: str


@dataclass(frozen=True)
class TerpOptions:
    """Options of one metric, checked.

    Attributes:
        costs: Cost of every kind of edit in `KINDS`.
        resources: What edits are found with.
    """

    costs: Mapping[str, float]
    resources: Resources


_KNOWN: Mapping[str, Option] = {
    **dict.fromkeys(KINDS, number(None, -1000, 1000)),
    "costs": one_of(TUNED, TER),
    "edits": Option(
        "+".join(EDITS),
        lambda value: isinstance(value, str) and (value == NO_EDITS or set(value.split("+")) <= set(EDITS)),
        f"{NO_EDITS} or some of {', '.join(EDITS)} with + between",
    ),
    "tokeniser": one_of(*TOKENISERS),
    "synonyms": anything(SYNONYM_TABLE),
    "paraphrases": anything(METEOR_TABLE),
}


def check_options(name: str, options: Options) -> TerpOptions:
    """Options with their defaults.

    Args:
        name: ``terp`` or ``terp-base``.
        options: A cost for any of `KINDS`; ``costs``: what the others are, ``tuned`` (default) or ``ter``; ``edits``:
            ``stem+synonym+paraphrase`` (default), some of them, or ``none``; ``tokeniser``: ``meteor`` (default) or
            ``ter``; ``synonyms`` and ``paraphrases``: names of tables.

    Raises:
        PfsmError: If one is unknown or has no such value.
    """
    known = _KNOWN if name == TERP else with_defaults(_KNOWN, paraphrases=LEARNED_TABLE)
    chosen = read_options(name, options, known)
    given = {kind: float(options[kind]) for kind in KINDS if kind in options}
    return TerpOptions(
        {**COSTS[chosen["costs"]], **given},
        Resources(
            tuple(edit for edit in EDITS if edit in chosen["edits"].split("+")),
            chosen["tokeniser"],
            *(check_reference(chosen[key], f"metric {name}: {key}") for key in ("synonyms", "paraphrases")),
        ),
    )

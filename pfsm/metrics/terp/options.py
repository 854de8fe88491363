"""TERp's options: costs, which edits there are, tables, words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pfsm.errors import PfsmError
from pfsm.lexicons.meteor_full import NAME as METEOR_TABLE
from pfsm.lexicons.registry import check_reference
from pfsm.matchers.synonym import DEFAULT_TABLE as SYNONYM_TABLE
from pfsm.metrics.terp.costs import KINDS, TUNED, check_costs

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


def check_options(name: str, options: Mapping[str, Any]) -> TerpOptions:
    """Options with their defaults.

    Args:
        name: ``terp`` or ``terp-base``.
        options: A cost for any of `KINDS`; ``costs``: what the others are, ``tuned`` (default) or ``ter``; ``edits``:
            ``stem+synonym+paraphrase`` (default), some of them, or ``none``; ``tokeniser``: ``meteor`` (default) or
            ``ter``; ``synonyms`` and ``paraphrases``: names of tables.

    Raises:
        PfsmError: If one is unknown or has no such value.
    """
    known = (*KINDS, "costs", "edits", "tokeniser", "synonyms", "paraphrases")
    for key in options:
        if key not in known:
            raise PfsmError(f"metric {name}: unknown option {key!r}; known are {', '.join(known)}")
    tokeniser = options.get("tokeniser", METEOR)
    if tokeniser not in TOKENISERS:
        raise PfsmError(
            f"metric {name}: tokeniser is {tokeniser!r}, it must be one of {', '.join(TOKENISERS)}"
        )
    paraphrases = METEOR_TABLE if name == TERP else LEARNED_TABLE
    return TerpOptions(
        check_costs(
            name, options.get("costs", TUNED), {kind: options[kind] for kind in KINDS if kind in options}
        ),
        Resources(
            _edits(name, options.get("edits", "+".join(EDITS))),
            tokeniser,
            check_reference(options.get("synonyms", SYNONYM_TABLE), f"metric {name}: synonyms"),
            check_reference(options.get("paraphrases", paraphrases), f"metric {name}: paraphrases"),
        ),
    )


def _edits(name: str, value: object) -> tuple[str, ...]:
    chosen = value.split("+") if isinstance(value, str) and value != NO_EDITS else []
    if not isinstance(value, str) or any(one not in EDITS for one in chosen):
        raise PfsmError(
            f"metric {name}: edits is {value!r}, it must be {NO_EDITS} or some of {', '.join(EDITS)} with + between"
        )
    return tuple(edit for edit in EDITS if edit in chosen)

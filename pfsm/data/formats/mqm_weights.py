"""Weights of MQM errors by severity and category."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pfsm.data.fields import finite_number, shown
from pfsm.errors import PfsmError

DEFAULT_WEIGHTS = (
    "Major:5 Minor:1 Neutral:0 No-error:0 Major/Non-translation!:25 Minor/Fluency/Punctuation:0.1"
)
"""Freitag et al. (2021), Experts, Errors, and Context: section 3.1."""
_NO_ERROR = frozenset({"no-error", "no_error", "no error", "none", ""})


@dataclass(frozen=True)
class Weights:
    """Penalties by ``severity``, ``severity/category`` or ``severity/category/subcategory``."""

    of: Mapping[tuple[str, ...], float]

    def penalty(self, severity: str, category: str) -> float | None:
        """The penalty of an error: that of the longest pattern that matches; None for an unknown severity."""
        if _plain(severity) in _NO_ERROR:
            return 0.0
        parts = (_plain(severity), *(_plain(part) for part in category.split("/")))
        for length in range(len(parts), 0, -1):
            if parts[:length] in self.of:
                return self.of[parts[:length]]
        return None


def _plain(name: str) -> str:
    """A name in lower case, without surrounding blanks and the exclamation mark of ``Non-translation!``."""
    return name.strip().lower().removesuffix("!")


def parse_weights(text: str) -> Weights:
    """Weights as ``SEVERITY[/CATEGORY[/SUBCATEGORY]]:WEIGHT``, separated by commas or, if there are none, by blanks.

    Raises:
        PfsmError: a malformed entry, or a weight that is not a finite number.
    """
    of = {}
    for entry in filter(None, text.split(",") if "," in text else re.split(r"\s+", text)):
        pattern, colon, number = entry.strip().rpartition(":")
        weight = finite_number(number)
        if not colon or not pattern.strip() or weight is None:
            raise PfsmError(
                f"weight {shown(entry)}: SEVERITY[/CATEGORY]:NUMBER is needed, as in {DEFAULT_WEIGHTS!r}"
            )
        of[tuple(_plain(part) for part in pattern.split("/"))] = weight
    if not of:
        raise PfsmError("no weights; give at least one, as in 'Major:5 Minor:1'")
    return Weights(of)

"""sacrebleu's sentence-level metrics: BLEU (Papineni et al. 2002), chrF (Popović 2015), TER (Snover et al. 2006).

Each is sacrebleu's ``sentence_score`` at its defaults (BLEU with effective order, as sacrebleu has it for
sentences), with its sign turned where lower is better. chrF is counted by `pfsm.metrics.chrf`: the same numbers,
sooner.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.chrf import chrf_scores
from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.protocol import check_pairs
from pfsm.version import __version__

# Those of sacrebleu's tokenisers that need neither a download nor a further package.
TOKENISERS = ("13a", "intl", "zh", "char", "none")
CHRF = ("chrf", "chrf++")
_FLAGS: Mapping[str, tuple[Any, ...]] = {"lowercase": (False, True)}
OPTIONS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "bleu": {**_FLAGS, "tokenize": TOKENISERS},
    "chrf": _FLAGS,
    "chrf++": _FLAGS,
    "ter": {
        "case_sensitive": (False, True),
        "normalized": (False, True),
        "no_punct": (False, True),
        "asian_support": (False, True),
    },
}


class SacreMetric:
    """One of sacrebleu's metrics, sentence by sentence; higher is better.

    Args:
        name: ``bleu``, ``chrf``, ``chrf++`` or ``ter`` (negated: 0 is best).
        options: sacrebleu's own arguments, those in `OPTIONS`.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """

    def __init__(self, name: str, options: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.options = _checked(name, options or {})
        self._sign = -1.0 if name == "ter" else 1.0

    @property
    def signature(self) -> str:
        """sacrebleu's own signature with its version under ``sacrebleu``, and what we add: level and sign."""
        metric = _metric(self.name, self.options)
        metric.sentence_score("", [""])  # a signature is there once the number of references is known
        entries = str(metric.get_signature()).split("|")
        ours = ["level:segment", *(["sign:negative"] if self._sign < 0 else [])]
        theirs = [*entries[1:-1], entries[-1].replace("version:", "sacrebleu:")]
        return "|".join([entries[0], *ours, *theirs, f"version:{__version__}"])

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """Scores of pairs, float64 [n_pairs]; on sacrebleu's scale, 0 to 100 (TER: at most 0).

        Raises:
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        check_pairs(hypotheses, references)
        if self.name in CHRF:
            return score_distinct(self._chrf, hypotheses, references)
        score = _metric(self.name, self.options).sentence_score

        def score_each(hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
            pairs = zip(hypotheses, references, strict=True)
            values = [score(hypothesis, [reference]).score for hypothesis, reference in pairs]
            return self._sign * np.array(values, dtype=np.float64) + 0.0  # +0.0: no -0.0

        return score_distinct(score_each, hypotheses, references)

    def _chrf(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        lowercase = bool(self.options.get("lowercase", False))
        return chrf_scores(hypotheses, references, words=self.name == CHRF[1], lowercase=lowercase)


def _metric(name: str, options: Mapping[str, Any]) -> Any:
    """sacrebleu's object; imported here because it takes a tenth of a second."""
    from sacrebleu.metrics import BLEU, CHRF, TER  # noqa: PLC0415

    makers: dict[str, Callable[..., Any]] = {"bleu": BLEU, "chrf": CHRF, "chrf++": CHRF, "ter": TER}
    fixed: dict[str, dict[str, Any]] = {"bleu": {"effective_order": True}, "chrf++": {"word_order": 2}}
    return makers[name](**fixed.get(name, {}), **options)


def _checked(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    known = OPTIONS[name]
    for key, value in options.items():
        if key not in known:
            raise PfsmError(f"metric {name}: unknown option {key!r}; known are {', '.join(known)}")
        # By type as well: 1 equals True.
        if not any(value == one and type(value) is type(one) for one in known[key]):
            choices = ", ".join(str(one).lower() if isinstance(one, bool) else one for one in known[key])
            raise PfsmError(f"metric {name}: {key} is {value!r}, it must be one of {choices}")
    return dict(options)

"""pfsm for Hugging Face ``evaluate``, which loads it from the path of this folder; see README.md."""

from typing import Any

import datasets
import evaluate

from pfsm import load
from pfsm.metrics.inputs import number_by_segment
from pfsm.model.shipped import DEFAULT_MODEL

_CITATION = """\
@inproceedings{wang-manning-2012-probabilistic,
  title = "Probabilistic Finite State Machines for Regression-based {MT} Evaluation",
  author = "Wang, Mengqiu and Manning, Christopher D.",
  booktitle = "Proceedings of EMNLP-CoNLL",
  year = "2012",
  url = "https://aclanthology.org/D12-1090/",
}
"""
_DESCRIPTION = """\
A learned metric of translation quality: a probabilistic finite-state machine over the edits that turn the reference
into the translation, with weights learned from human judgments. Nothing is downloaded.
"""
_INPUTS = """
Args:
    predictions: Translations, one string each.
    references: A reference for each translation, or a list of references, of which the best one counts.
    model: Name of a shipped model, or the path of a model file; default: the default model of pfsm.
    resources: Paths of resources that a model file needs, by name; default: none.
    threads: Number of threads; default: as many as the process may use. Scores do not depend on it.

Returns:
    score: Mean of the scores.
    scores: The score of each translation.
    signature: Everything that can change the numbers.
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class Pfsm(evaluate.Metric):
    """A model of pfsm as a metric of ``evaluate``."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            license="Apache-2.0",
            features=[
                datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
                datasets.Features({"predictions": text, "references": text}),
            ],
            reference_urls=["https://aclanthology.org/D12-1090/"],
        )

    def _compute(
        self,
        predictions: list[str],
        references: list[str] | list[list[str]],
        model: str = DEFAULT_MODEL,
        threads: int | None = None,
        resources: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        metric = load(model, threads, resources=resources)
        several = [[one] if isinstance(one, str) else list(one) for one in references]
        if not predictions:
            raise ValueError("no predictions to score")
        if not all(several):
            raise ValueError("each prediction needs a reference")
        scores = metric.score_segments(predictions, several)
        return {
            "score": float(scores.mean()),
            "scores": scores.tolist(),
            "signature": metric.get_signature(number_by_segment(several)),
        }

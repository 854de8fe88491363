"""The weights laboratory: texts scored again and again while somebody turns the weights of a model.

Nothing is kept between calls but lattices: every call brings the texts and the changed weights.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Annotated, Any

import numpy as np
from msgspec import UNSET, Meta, UnsetType, field

from pfsm.arrays import Float
from pfsm.encoder.heads import contents_of, head_path
from pfsm.evaluation import kendall_tau_b, pearson
from pfsm.evaluation.comparison import number
from pfsm.metrics.inputs import best_of_references, mean_of_references
from pfsm.model import file
from pfsm.model.labels import plain_label
from pfsm.model.prepared import PreparedPairs
from pfsm.model.settings import MEAN
from pfsm.model.training_record import weight_groups
from pfsm_studio.serve.limits import Limits, RequestError, invalid
from pfsm_studio.serve.model_pool import LoadedModel, check_name
from pfsm_studio.serve.requests import Asked, Model, TextRequest, pointer, shown

LARGEST_WEIGHT = 1e6
# Pairs on screen; texts whose lattices are kept.
MOST_PAIRS, MOST_TEXTS = 3_000, 4
# Characters of hypotheses times those of their references, which bound the cells of lattices.
MOST_AREA = 400_000_000


class LaboratoryRequest(TextRequest, frozen=True, kw_only=True):
    """Texts, changed weights by name, and scores by people, one for each segment."""

    weights: dict[str, Any] = field(default_factory=dict)
    human: Annotated[list[float], Meta(min_length=1)] | UnsetType = UNSET

    def check(self, limits: Limits) -> None:
        """As of any request."""
        self.check_outputs({"/hypotheses": self.hypotheses}, limits, min(limits.pairs, MOST_PAIRS))
        pairs = zip(self.hypotheses, self.all_references, strict=True)
        if sum(len(one) * len(line) for one, several in pairs for line in several) > MOST_AREA:
            raise RequestError(413, "the texts are too long to be kept on screen; take fewer segments")
        if self.human is not UNSET and len(self.human) != len(self.hypotheses):
            raise invalid("/human", f"{len(self.human)} human scores for {len(self.hypotheses)} segments")
        _check_weights(self.weights)


class SavedRequest(Asked, frozen=True, kw_only=True):
    """A model with changed weights, to be downloaded under a name."""

    name: str
    model: Model = ""
    weights: dict[str, Any] = field(default_factory=dict)

    def check(self, limits: Limits) -> None:  # noqa: ARG002 - as of any request
        """As of any request."""
        check_name(self.name)
        _check_weights(self.weights)


def _check_weights(weights: Mapping[str, Any]) -> None:
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or abs(weight) > LARGEST_WEIGHT:
            raise invalid(
                pointer("weights", name),
                f"{shown(weight)}, but a number up to {LARGEST_WEIGHT:g} either way is needed here",
            )


def edited(loaded: LoadedModel, weights: Mapping[str, float], name: str = "") -> file.Model:
    """The model with other weights. Its record says so, and keeps what the data were, but no figures of agreement.

    Raises:
        RequestError: If the model has no weight of a name.
    """
    model = loaded.model
    for weight in weights:
        if weight not in model.weights:
            raise invalid("/weights", f"model {loaded.name} has no weight {shown(weight)}")
    changed = {key: value for key, value in weights.items() if value != model.weights[key]}
    if not changed and not name:
        return model
    kept = ("data", "judgments", "preferences", "instances", "encoder", "uses", "needs")
    training = {key: model.training[key] for key in kept if key in model.training}
    training["edited"] = {"from": model.name, "fingerprint": model.fingerprint, "weights": sorted(changed)}
    return replace(model, name=name or model.name, weights={**model.weights, **changed}, training=training)


def model_document(loaded: LoadedModel) -> dict[str, Any]:
    """The weights of a model by group, for sliders."""
    model = loaded.model
    instances = model.training.get("instances", {})
    return {
        **loaded.document(),
        "default_name": f"{loaded.name}-edited",
        "heads": [str(head_path("", label)) for label in contents_of(model.settings.features)],
        "groups": [
            {
                "name": title,
                "weights": [
                    {
                        "name": name,
                        "label": plain_label(name),
                        "value": model.weights[name],
                        "instances": instances.get(name),
                    }
                    for name in names
                ],
            }
            for title, names in weight_groups(model.weights).items()
            if names
        ],
    }


class Laboratory:
    """Scores texts with changed weights; keeps the lattices of the last texts."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, PreparedPairs] = OrderedDict()
        self._lock = Lock()

    def scores(self, loaded: LoadedModel, texts: TextRequest, model: file.Model) -> Float:
        """Scores of segments, float64 [n_segments], as ``Metric(model)`` gives them; runs in a thread.

        Args:
            loaded: The model as it was.
            texts: The texts.
            model: The model with other weights.
        """
        over = mean_of_references if model.settings.references == MEAN else best_of_references
        return over(
            lambda *pairs: self._prepared(loaded, *pairs).scores(model),
            texts.hypotheses,
            texts.all_references,
        )

    def _prepared(
        self, loaded: LoadedModel, hypotheses: Sequence[str], references: Sequence[str]
    ) -> PreparedPairs:
        text = json.dumps([loaded.name, loaded.model.fingerprint, hypotheses, references])
        key = hashlib.sha256(text.encode()).hexdigest()
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        found = loaded.metric.prepare(hypotheses, references)
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > MOST_TEXTS:
                self._kept.popitem(last=False)
        return found

    def answer(self, loaded: LoadedModel, asked: LaboratoryRequest) -> dict[str, Any]:
        """Scores before and after, and how both agree with people.

        Raises:
            RequestError: If the model has no weight of a name.
        """
        model = edited(loaded, asked.weights)
        was, now = self.scores(loaded, asked, loaded.model), self.scores(loaded, asked, model)
        return {
            "name": model.name,
            "fingerprint": model.fingerprint,
            "was": was.tolist(),
            "now": now.tolist(),
            "mean": [float(was.mean()), float(now.mean())],
            "agreement": None if asked.human is UNSET else _agreement(was, now, np.array(asked.human)),
        }


def _agreement(was: Float, now: Float, human: Float) -> dict[str, list[float | None]]:
    """Statistics before and after; null where they are undefined, as of scores that are all the same."""
    return {
        name: [number(float(statistic(scores, human))) for scores in (was, now)]
        for name, statistic in (("pearson", pearson), ("kendall", kendall_tau_b))
    }

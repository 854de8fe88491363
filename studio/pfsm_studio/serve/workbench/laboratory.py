"""The weights laboratory: texts scored again and again while somebody turns the weights of a model.

Nothing is kept between calls but lattices: every call brings the texts and the changed weights.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from msgspec import UNSET, Meta, UnsetType, field

from pfsm.arrays import Float
from pfsm.encoder.heads import contents_of, head_path
from pfsm.errors import PfsmError
from pfsm.evaluation import kendall_tau_b, pearson
from pfsm.evaluation.comparison import number
from pfsm.metrics.inputs import best_of_references, flat_pairs, mean_of_references
from pfsm.model import file
from pfsm.model.labels import plain_label
from pfsm.model.prepared import PreparedPairs
from pfsm.model.settings import MEAN
from pfsm.model.training_record import weight_groups
from pfsm_studio.serve.answers import check_text
from pfsm_studio.serve.batching import FIRST_COST, Batcher, cost, portion_end
from pfsm_studio.serve.limits import Limits, invalid
from pfsm_studio.serve.model_pool import LoadedModel, check_name
from pfsm_studio.serve.requests import Asked, Model, TextRequest, pointer, shown

LARGEST_WEIGHT = 1e6
# Pairs on screen, and those that a thread is busy with at one time.
MOST_PAIRS, MOST_PAIRS_AT_ONCE = 3_000, 200
# Of all texts whose lattices are kept, what they cost (`cost`): some 20 bytes for each.
MOST_KEPT = 16_000_000


class LaboratoryRequest(TextRequest, frozen=True, kw_only=True):
    """Texts, changed weights by name, and scores by people, one for each segment."""

    weights: dict[str, Any] = field(default_factory=dict)
    human: Annotated[list[float], Meta(min_length=1)] | UnsetType = UNSET

    def check(self, limits: Limits) -> None:
        """As of any request."""
        self.check_outputs({"/hypotheses": self.hypotheses}, limits, min(limits.pairs, MOST_PAIRS))
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
    """Scores texts with changed weights; keeps the lattices of the last texts, as many as memory is given to."""

    def __init__(self) -> None:
        # By a digest of the texts, in the order of their last use: what they cost, and their portions.
        self._kept: OrderedDict[str, tuple[int, list[PreparedPairs]]] = OrderedDict()

    async def answer(
        self, batcher: Batcher, loaded: LoadedModel, asked: LaboratoryRequest, deadline: float
    ) -> dict[str, Any]:
        """Scores before and after, as ``Metric(model)`` gives them, and how both agree with people.

        Raises:
            RequestError: If the model has no weight of a name, a pair cannot be scored, or not in time.
        """
        model, references = edited(loaded, asked.weights), asked.all_references
        await batcher.run(partial(check_text, loaded, references, False))
        ours, theirs, _ = flat_pairs(asked.hypotheses, references)
        costs = [*map(cost, ours, theirs)]
        key = _digest(loaded, ours, theirs)
        kept = self._kept.get(key, (0, []))[1]
        portions: list[PreparedPairs] = []
        found, first = list[Float](), 0

        def scored() -> Float:
            pairs = kept[len(found)] if kept else loaded.metric.prepare(ours[first:stop], theirs[first:stop])
            if sum(costs) <= MOST_KEPT:
                portions.append(pairs)
            return np.stack([pairs.scores(one) for one in (loaded.model, model)])

        while first < len(costs):
            stop = portion_end(costs, first, MOST_PAIRS_AT_ONCE, FIRST_COST)
            try:
                found.append(await batcher.run_long(scored, deadline))
            except PfsmError as error:
                raise invalid("/hypotheses", str(error)) from None
            first = stop
        self._keep(key, sum(costs), portions)
        over = mean_of_references if model.settings.references == MEAN else best_of_references
        was, now = (
            over(lambda *_, own=own: own, asked.hypotheses, references)
            for own in np.concatenate(found, axis=1)
        )
        human = None if asked.human is UNSET else np.array(asked.human)
        return {
            "name": model.name,
            "fingerprint": model.fingerprint,
            "was": was.tolist(),
            "now": now.tolist(),
            "mean": [float(was.mean()), float(now.mean())],
            "agreement": None if human is None else await batcher.run(partial(_agreement, was, now, human)),
        }

    def _keep(self, key: str, spent: int, portions: list[PreparedPairs]) -> None:
        """Keep the lattices of texts, if there are any; those used last stay as long as there is room."""
        if portions:
            self._kept[key] = spent, portions
            self._kept.move_to_end(key)
        while sum(own for own, _ in self._kept.values()) > MOST_KEPT:
            self._kept.popitem(last=False)


def _digest(loaded: LoadedModel, hypotheses: Sequence[str], references: Sequence[str]) -> str:
    text = json.dumps([loaded.name, loaded.model.fingerprint, hypotheses, references])
    return hashlib.sha256(text.encode()).hexdigest()


def _agreement(was: Float, now: Float, human: Float) -> dict[str, list[float | None]]:
    """Statistics before and after; null where they are undefined, as of scores that are all the same."""
    return {
        name: [number(float(statistic(scores, human))) for scores in (was, now)]
        for name, statistic in (("pearson", pearson), ("kendall", kendall_tau_b))
    }

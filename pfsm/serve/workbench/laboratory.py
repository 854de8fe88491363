"""The weights laboratory: texts scored again and again while somebody turns the weights of a model.

Nothing is kept between calls but lattices: every call brings the texts and the changed weights.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.encoder.heads import contents_of, head_path
from pfsm.evaluation import kendall_tau_b, pearson
from pfsm.evaluation.comparison import number
from pfsm.metrics.references import flat_pairs
from pfsm.model.file import Model
from pfsm.model.prepared import PreparedPairs
from pfsm.model.settings import MEAN
from pfsm.model.weight_groups import weight_groups
from pfsm.serve.batching import MOST_AREA
from pfsm.serve.fields import Fields, check_number, pointer, printable, shown
from pfsm.serve.limits import Limits
from pfsm.serve.problems import RequestError, invalid
from pfsm.serve.requests import ScoreRequest, parallel_texts
from pfsm.serve.shelf import Book

Float = NDArray[np.float64]
LARGEST_WEIGHT = 1e6
# Pairs on screen; texts whose lattices are kept.
MOST_PAIRS, MOST_TEXTS = 3_000, 4


@dataclass(frozen=True)
class LaboratoryRequest:
    """Texts, changed weights, and what people say of the texts.

    Attributes:
        texts: The texts and the model.
        weights: Changed weights by name.
        human: Scores by people, one for each segment; None: there are none.
    """

    texts: ScoreRequest
    weights: Mapping[str, float]
    human: Sequence[float] | None


def laboratory_request(value: object, limits: Limits) -> LaboratoryRequest:
    """The request in a body.

    Raises:
        RequestError: If a field is not what it must be.
    """
    fields = Fields(value, ("model", "hypotheses", "references", "weights", "human"))
    hypotheses, references = parallel_texts(fields, limits, min(limits.pairs, MOST_PAIRS))
    area = sum(
        len(one) * len(line) for one, several in zip(hypotheses, references, strict=True) for line in several
    )
    if area > 10 * MOST_AREA:
        raise RequestError(413, "the texts are too long to be kept on screen; take fewer segments")
    human = None
    if "human" in fields:
        values = fields.items("human", "numbers")
        if len(values) != len(hypotheses):
            raise invalid("/human", f"{len(values)} human scores for {len(hypotheses)} segments")
        human = [check_number(one, pointer("human", place)) for place, one in enumerate(values)]
    texts = ScoreRequest(fields.text("model", ""), hypotheses, references)
    return LaboratoryRequest(texts, weights_of(fields), human)


def weights_of(fields: Fields) -> dict[str, float]:
    """The changed weights of a request.

    Raises:
        RequestError: If they are no object of numbers.
    """
    value = fields.value("weights")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid(fields.at("weights"), "an object of numbers by names of weights is needed here")
    found = {}
    for name, weight in value.items():
        where = fields.at("weights", printable(name))
        found[name] = check_number(weight, where)
        if abs(found[name]) > LARGEST_WEIGHT:
            raise invalid(where, f"{weight:g}, at most {LARGEST_WEIGHT:g} is possible here either way")
    return found


def edited(book: Book, weights: Mapping[str, float], name: str = "") -> Model:
    """The model with other weights. Its record says so, and keeps what the data were, but no figures of agreement.

    Raises:
        RequestError: If the model has no weight of a name.
    """
    model = book.model
    for weight in weights:
        if weight not in model.weights:
            raise invalid("/weights", f"model {book.name} has no weight {shown(weight)}")
    changed = {key: value for key, value in weights.items() if value != model.weights[key]}
    if not changed and not name:
        return model
    kept = ("data", "judgments", "preferences", "instances", "encoder", "uses", "needs")
    training = {key: model.training[key] for key in kept if key in model.training}
    training["edited"] = {"from": model.name, "fingerprint": model.fingerprint, "weights": sorted(changed)}
    return replace(model, name=name or model.name, weights={**model.weights, **changed}, training=training)


def model_document(book: Book) -> dict[str, Any]:
    """The weights of a model by group, for sliders."""
    model = book.model
    instances = model.training.get("instances", {})
    return {
        **book.document(),
        "default_name": f"{book.name}-edited",
        "heads": [head_path("", label) for label in contents_of(model.settings.features)],
        "groups": [
            {
                "name": title,
                "weights": [
                    {"name": name, "value": model.weights[name], "instances": instances.get(name)}
                    for name in names
                ],
            }
            for title, names in weight_groups(model).items()
            if names
        ],
    }


class Laboratory:
    """Scores texts with changed weights; keeps the lattices of the last texts."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, PreparedPairs] = OrderedDict()
        self._lock = Lock()

    def scores(self, book: Book, texts: ScoreRequest, model: Model) -> Float:
        """Scores of segments, float64 [n_segments], as ``Metric(model)`` gives them; runs in a thread.

        Args:
            book: The model as it was.
            texts: The texts.
            model: The model with other weights.
        """
        repeated, flat, starts = flat_pairs(texts.hypotheses, texts.references)
        pairs = self._prepared(book, repeated, flat).scores(model)
        if len(flat) == len(texts.hypotheses):
            return pairs
        if model.settings.references == MEAN:
            return np.asarray(np.add.reduceat(pairs, starts) / np.diff([*starts, len(flat)]))
        return np.maximum.reduceat(pairs, starts)

    def _prepared(self, book: Book, hypotheses: Sequence[str], references: Sequence[str]) -> PreparedPairs:
        text = json.dumps([book.name, book.model.fingerprint, hypotheses, references])
        key = hashlib.sha256(text.encode()).hexdigest()
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        found = book.metric.prepare(hypotheses, references)
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > MOST_TEXTS:
                self._kept.popitem(last=False)
        return found

    def answer(self, book: Book, asked: LaboratoryRequest) -> dict[str, Any]:
        """Scores before and after, and how both agree with people.

        Raises:
            RequestError: If the model has no weight of a name.
        """
        model = edited(book, asked.weights)
        was, now = self.scores(book, asked.texts, book.model), self.scores(book, asked.texts, model)
        return {
            "name": model.name,
            "fingerprint": model.fingerprint,
            "was": was.tolist(),
            "now": now.tolist(),
            "mean": [float(was.mean()), float(now.mean())],
            "agreement": None if asked.human is None else _agreement(was, now, np.array(asked.human)),
        }


def _agreement(was: Float, now: Float, human: Float) -> dict[str, list[float | None]]:
    """Statistics before and after; null where they are undefined, as of scores that are all the same."""
    return {
        name: [number(float(statistic(scores, human))) for scores in (was, now)]
        for name, statistic in (("pearson", pearson), ("kendall", kendall_tau_b))
    }

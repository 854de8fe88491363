"""The models of a server: the shipped ones, and those that its command line names. No request can name another."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from pfsm.errors import PfsmError
from pfsm.metrics.inputs import NumberOfReferences
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm_studio.serve.limits import invalid
from pfsm_studio.serve.requests import shown

# Of a model.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# Of numbers of references whose signatures are kept.
_MOST_NAMED = 16
# What a model is made ready with, so that the first request does not wait for kernels to load.
_WARMING = ("a line", "one line")


@dataclass(eq=False)
class LoadedModel:
    """One model, made ready when it is first asked for.

    Attributes:
        name: What requests call it.
        model: The model.
        origin: ``shipped``, or ``given`` on the command line.
    """

    name: str
    model: Model
    origin: str
    _lock: Lock = field(default_factory=Lock)
    _metric: Metric | None = None
    _named: dict[NumberOfReferences, Mapping[str, str]] = field(default_factory=dict)

    @property
    def ready(self) -> bool:
        """Whether `metric` is there at once."""
        return self._metric is not None

    def named(self, nrefs: NumberOfReferences) -> Mapping[str, str]:
        """Name and signatures, as of `SegmentMetric`. They take milliseconds to write, so they are kept."""
        found = self._named.get(nrefs)
        if found is None:
            metric = self.metric
            found = {
                "name": metric.name,
                "signature": metric.get_signature(nrefs, "corpus"),
                "short_signature": metric.get_short_signature(nrefs, "corpus"),
                "segment_signature": metric.get_signature(nrefs),
            }
            if len(self._named) >= _MOST_NAMED:
                self._named.clear()
            self._named[nrefs] = found
        return found

    @property
    def metric(self) -> Metric:
        """The model at work, on one thread: requests share the threads among them.

        Raises:
            PfsmError: If something that the model needs is not installed.
        """
        with self._lock:
            if self._metric is None:
                metric = Metric(self.model, threads=1)
                for name in metric.columns:
                    raise PfsmError(
                        f"model {self.name} needs the column {name} of the data; requests cannot give it"
                    )
                # Answers say what speaks against a model.
                metric.language_looked_at = True
                metric.score_pairs(_WARMING[:1], _WARMING[1:])
                self._metric = metric
            return self._metric

    def document(self) -> dict[str, Any]:
        """What ``GET /v1/models`` says of it."""
        settings, training = self.model.settings, self.model.training
        return {
            "name": self.name,
            "origin": self.origin,
            "language": settings.language,
            "edits": settings.edits,
            "matchers": list(settings.matchers),
            "features": list(settings.features),
            "references": settings.references,
            "scale": self.model.scale.note,
            "judgments": training.get("judgments"),
            "licence": self.model.licence,
            "fingerprint": self.model.fingerprint,
        }


def check_name(name: str) -> None:
    """Refuses what cannot be the name of a model.

    Raises:
        RequestError: If it is none.
    """
    if NAME.fullmatch(name) is None:
        raise invalid(
            "/name",
            f"{shown(name)}; letters, digits, '.', '_' and '-' are needed, the first a letter or a digit",
        )


class ModelPool:
    """Models by name, each with another one; the first is the default."""

    def __init__(self, models: Iterable[LoadedModel]) -> None:
        self._models = {loaded.name: loaded for loaded in models}
        self.default = next(iter(self._models))

    def __iter__(self) -> Any:
        return iter(self._models.values())

    def find(self, name: str) -> LoadedModel:
        """A model by its name; the default one if that is empty.

        Raises:
            RequestError: If there is none.
        """
        loaded = self._models.get(name or self.default)
        if loaded is None:
            raise invalid("/model", f"there is no model {shown(name)}; GET /v1/models lists them")
        return loaded

"""Signatures: one line that names all that can change a score, in sacrebleu's manner."""

from collections.abc import Sequence

from pfsm.metrics.features import feature_signature
from pfsm.model import Model
from pfsm.settings import Settings
from pfsm.text.classes import word_classes
from pfsm.version import __version__


def signature(model: Model, nrefs: int | None, resources: Sequence[str] = ()) -> str:
    """``nrefs:1|model:NAME|weights:…|lang:en|tok:penn|…|version:X``, the version last.

    ``weights`` is a fingerprint of settings, weights and scale, so that a file edited by hand shows. Several
    references: ``refs:best`` says that the best one counts. ``resources`` are the tables the matchers know from, as
    ``NAME@CHECKSUM``.
    """
    settings = model.settings
    blocks = [settings.max_block[name] for name in settings.matchers]
    entries = {
        "nrefs": "var" if nrefs is None else str(nrefs),
        "refs": "best",
        "model": model.name.replace("|", "/"),
        "weights": model.fingerprint,
        "lang": settings.language,
        "tok": settings.tokeniser,
        "stem": settings.stemmer,
        "case": "lc" if settings.lowercase else "mixed",
        "match": "+".join(settings.matchers) or "none",
        "offer": settings.matching,
        "block": "-".join(str(size) for size in blocks)
        if len(set(blocks)) > 1
        else str(blocks[0] if blocks else 1),
        "jump": str(settings.max_jump),
        **_split(settings),
        **_features(settings),
        **({"res": "+".join(resources)} if resources else {}),
        "version": __version__,
    }
    if nrefs == 1:
        del entries["refs"]
    return "|".join(f"{key}:{value}" for key, value in entries.items())


def _split(settings: Settings) -> dict[str, str]:
    """Which states are split by word class and by which lists, where any are."""
    if not settings.split:
        return {}
    lists = settings.classes if isinstance(settings.classes, str) else "own"
    checksum = word_classes(settings.classes).checksum
    return {"split": "+".join(settings.split), "classes": f"{lists}@{checksum}"}


def _features(settings: Settings) -> dict[str, str]:
    """The sentence-level features and what decides their values, where there are any."""
    if not settings.features:
        return {}
    return {"feat": "+".join(map(feature_signature, settings.features))}

"""Signatures: one line that names all that can change a score, in sacrebleu's manner."""

from pfsm.model import Model
from pfsm.version import __version__


def signature(model: Model, nrefs: int | None) -> str:
    """``nrefs:1|model:NAME|weights:…|lang:en|tok:penn|…|version:X``, the version last.

    ``weights`` is a fingerprint of settings, weights and scale, so that a file edited by hand shows. Several
    references: ``refs:best`` says that the best one counts.
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
        "version": __version__,
    }
    if nrefs == 1:
        del entries["refs"]
    return "|".join(f"{key}:{value}" for key, value in entries.items())

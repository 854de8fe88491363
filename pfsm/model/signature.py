"""Signatures: one line that names all that can change a score, in sacrebleu's manner."""

from collections.abc import Sequence
from itertools import chain, groupby

from pfsm.encoder.names import is_encoder_feature
from pfsm.features.values import feature_signature
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.inputs import NumberOfReferences
from pfsm.model.file import Model
from pfsm.model.settings import RELATIVE, Settings
from pfsm.text.characters import AS_IT_IS
from pfsm.text.classes import word_classes
from pfsm.text.languages import tokeniser_label
from pfsm.text.sentences import splitter_label
from pfsm.text.stemming import stemmer_name_in_signatures
from pfsm.version import __version__


def signature(model: Model, nrefs: NumberOfReferences, resources: Sequence[str] = ()) -> str:
    """``nrefs:1|model:NAME|weights:…|lang:en|tok:penn|…|version:X``, the version last.

    ``weights`` is a fingerprint of settings, weights and scale, so that a file edited by hand shows. Several
    references: ``refs:best`` says that the best one counts, ``refs:mean`` the mean over them. ``resources`` are the
    tables the matchers know from, as ``NAME@CHECKSUM``. A plug-in is named with its package and version:
    ``match:word+glossary(pfsm-glossary@0.1.0)``.
    """
    settings = model.settings
    entries = {
        "nrefs": str(nrefs),
        "refs": settings.references,
        "model": model.name.replace("|", "/"),
        "weights": model.fingerprint,
        "lang": settings.language,
        **(_edits(settings) if settings.edits else {"edits": "no"}),
        **_features(settings),
        **({} if settings.normalisation == "none" else {"norm": settings.normalisation}),
        **({"form": f"{settings.form}({splitter_label()})"} if settings.form == RELATIVE else {}),
        **({} if settings.text == AS_IT_IS else {"text": f"{settings.text}({splitter_label()})"}),
        **({"res": "+".join(resources)} if resources else {}),
        "version": __version__,
    }
    if nrefs == 1:
        del entries["refs"]
    return "|".join(f"{key}:{value}" for key, value in entries.items())


def _edits(settings: Settings) -> dict[str, str]:
    """How words are told apart and edited."""
    blocks = [settings.max_block[name] for name in settings.matchers]
    return {
        "tok": tokeniser_label(settings.tokeniser),
        "stem": stemmer_name_in_signatures(settings.stemmer),
        "case": "lc" if settings.lowercase else "mixed",
        "match": "+".join(map(MATCHERS.label, settings.matchers)) or "none",
        "offer": settings.matching,
        "block": "-".join(str(size) for size in blocks)
        if len(set(blocks)) > 1
        else str(blocks[0] if blocks else 1),
        "jump": str(settings.max_jump),
        **_split(settings),
    }


def _split(settings: Settings) -> dict[str, str]:
    """Which states are split by word class and by which lists, where any are."""
    if not settings.split:
        return {}
    if not settings.split_by_class:
        return {"split": "+".join(settings.split)}
    lists = settings.classes if isinstance(settings.classes, str) else "own"
    checksum = word_classes(settings.classes).checksum
    return {"split": "+".join(settings.split), "classes": f"{lists}@{checksum}"}


def _features(settings: Settings) -> dict[str, str]:
    """The sentence-level features and what decides their values, where there are any."""
    if not settings.features:
        return {}
    signed = [feature_signature(name).partition("(") for name in settings.features]
    # What neighbours have in common is said once: {bleu.1,bleu.2}(…).
    groups = [
        (rest, [name for name, *_ in group])
        for rest, group in groupby(signed, key=lambda parts: parts[1] + parts[2])
    ]
    named = (
        [f"{{{','.join(names)}}}{rest}"] if rest and len(names) > 1 else [f"{name}{rest}" for name in names]
        for rest, names in groups
    )
    where = {}
    if any(map(is_encoder_feature, settings.features)):
        from pfsm.embeddings.session import on_gpu  # noqa: PLC0415 - takes ONNX Runtime

        where = {"device": "cuda"} if on_gpu() else {}
    return {"feat": "+".join(chain.from_iterable(named)), **where}

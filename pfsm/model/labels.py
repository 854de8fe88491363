"""Names of weights in plain words: what people read where the model file has a code."""

import re

from pfsm.lattice.names import (
    DELETE,
    FEATURE_PREFIX,
    INSERT,
    JUMP,
    LINK_PREFIX,
    REPEAT,
    SUBSTITUTION,
    base_state,
    class_of,
    ends,
    is_state,
    sentence_feature,
)
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.registry import group_of

_CLASSES = {"punctuation": "punctuation mark", "name": "name", "number": "number", "negation": "negation"}
# What a feature over vectors was learned as, and where its vectors are; `pfsm show` and the signature have both.
_PLACES = re.compile(r"(?P<name>encoder|embedding_\w+)\((?P<options>.*)\)", re.DOTALL)


def label(feature: str) -> str:
    """The feature without digests and places of files: ``encoder``, ``embedding_f1(layer=4)``; others as they are."""
    match = _PLACES.fullmatch(feature)
    if match is None:
        return feature
    kept = []
    for option in match["options"].split(","):
        if option.startswith("source="):
            break  # the last option; a path may have commas
        if not option.startswith("head="):
            kept.append(option)
    return f"{match['name']}({','.join(kept)})" if kept else match["name"]


def plain_label(name: str) -> str:
    """A state, a transition or a feature in plain words; what has none stays as it is."""
    if name.startswith(FEATURE_PREFIX):
        feature = label(name.removeprefix(FEATURE_PREFIX))
        group = group_of(feature)
        return feature if group is None else group.labels.get(feature, feature)
    if name.startswith(LINK_PREFIX):
        return f"two words in a row in the same relation ({name.removeprefix(LINK_PREFIX)})"
    if (both := ends(name)) is not None:
        return ", then ".join(map(plain_label, both))
    state, part = base_state(name), class_of(name)
    if state in {INSERT, DELETE}:
        edit = "extra" if state == INSERT else "missing"
        if part == REPEAT:
            return "a word said twice in a row"
        return f"{'an' if state == INSERT else 'a'} {edit} {_CLASSES.get(part, f'{part} word'.lstrip())}"
    if state == JUMP:
        return "a change of word order"
    matcher = state.removeprefix(SUBSTITUTION)
    kind = MATCHERS.get(matcher)
    if kind is not None and name in kind.labels:
        return str(kind.labels[name])
    match = f"a match of {matcher}" if kind is None or not kind.label else kind.label
    if part.startswith("+") and part[1:].isdigit():
        return f"{match}: step {int(part[1:]) + 1} of likeness reached"
    return f"{match} ({part})" if part else match


def short_label(part: str) -> str:
    """A state or sentence-level feature without an article, for tables: ``missing content word``."""
    return re.sub(r"^(an?|the) ", "", plain_label(part if is_state(part) else sentence_feature(part)))

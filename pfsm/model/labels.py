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

_MATCHES = {
    "word": "the same word",
    "punct": "the same punctuation mark",
    "lemma": "another form of the word",
    "syn": "a synonym",
    "para": "a paraphrase",
    "char": "a similar spelling",
    "emb": "a word of similar meaning",
    "morph": "another word of the same family",
    "num": "a number written otherwise",
    "quantity": "a quantity in another unit",
}
_AGREEMENTS = {
    "role:same": "same role",
    "role:verb": "same role of the same verb",
    "role:other": "another role",
    "role:one": "a role on one side only",
    "dep:class": "same relation to the head",
    "dep:head": "same head",
    "dep:both": "same head and relation",
}
_CLASSES = {"punctuation": "punctuation mark", "name": "name", "number": "number", "negation": "negation"}
_FEATURES = {
    "kept.facts-en": "numbers, dates, names and units are kept",
    "kept.negation-en": "negation is kept",
    "kept.said-en": "numbers, dates and units say the same, however they are written",
    "kept.spaces": "spaces between words are kept",
    "kept.repeats": "no words are repeated",
    "kept.start": "the sentence starts alike",
    "kept.case": "capital letters are kept",
    "kept.numbers": "numbers are kept",
    "kept.numbers-en": "numbers are kept",
    "chrf": "character n-grams in common (chrF)",
    "length_ratio": "the length fits",
    "encoder": "similarity by the encoder",
}


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
        return _FEATURES.get(feature, feature)
    if name.startswith(LINK_PREFIX):
        return f"two words in a row in the same relation ({name.removeprefix(LINK_PREFIX)})"
    if name in _AGREEMENTS:
        return _AGREEMENTS[name]
    if (both := ends(name)) is not None:
        return ", then ".join(map(plain_label, both))
    state, part = base_state(name), class_of(name)
    if state in {INSERT, DELETE}:
        kind = "extra" if state == INSERT else "missing"
        if part == REPEAT:
            return "a word said twice in a row"
        return f"{'an' if state == INSERT else 'a'} {kind} {_CLASSES.get(part, f'{part} word'.lstrip())}"
    if state == JUMP:
        return "a change of word order"
    matcher = state.removeprefix(SUBSTITUTION)
    if part.startswith("+") and part[1:].isdigit():
        return f"{_MATCHES.get(matcher, matcher)}: step {int(part[1:]) + 1} of likeness reached"
    found = _MATCHES.get(matcher, f"a match of {matcher}")
    return f"{found} ({part})" if part else found


def short_label(part: str) -> str:
    """A state or sentence-level feature without an article, for tables: ``missing content word``."""
    return re.sub(r"^(an?|the) ", "", plain_label(part if is_state(part) else sentence_feature(part)))

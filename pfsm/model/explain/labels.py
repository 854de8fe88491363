"""Names of features as a person reads them."""

import re

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

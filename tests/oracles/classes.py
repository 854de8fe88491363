"""Word classes by their definition, rule by rule."""

import re
import unicodedata
from collections.abc import Mapping, Sequence


def word_class(token: str, lists: Mapping[str, Sequence[str]]) -> str:
    """Name of the first class that claims a token; the lists hold words in lower case."""
    word = re.sub("[‐‑]", "-", re.sub("[’ʼ＇]", "'", token.lower()))
    letters = [character for character in token if character.isalpha()]
    in_capitals = len(letters) > 1 and token == token.upper() != token.lower()
    claims = {
        "punctuation": not any(character.isalnum() for character in token),
        "number": re.search("N", "".join(unicodedata.category(character)[0] for character in word))
        is not None
        or set(word.split("-")) <= set(lists.get("number", ())),
        "negation": word in lists.get("negation", ()),
        "function": word in lists.get("function", ()) and not in_capitals,
        "name": any(unicodedata.category(character) in {"Lu", "Lt"} for character in token)
        and (in_capitals or word not in lists.get("content", ())),
        "content": True,
    }
    return next(name for name, claimed in claims.items() if claimed)

"""JSON from files, in which every key stands once and every string is text."""

import json
import re
from collections import Counter
from typing import Any

from pfsm.errors import PfsmError
from pfsm.io.containers import is_text

_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def parsed(text: str, where: str) -> Any:
    """Return the value of a JSON text; None if it is no JSON.

    Args:
        text: The text.
        where: Its place, for errors.

    Raises:
        PfsmError: An object with a key twice, of which programs read different ones, or half of a surrogate pair.
    """
    twice: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice.append(Counter(key for key, _ in pairs).most_common(1)[0][0])
        return found

    try:
        value = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError):
        return None
    if twice:
        raise PfsmError(f"{where}: JSON with the key {ascii(twice[0])[:40]} twice in one object")
    if _HALF.search(text) and not is_text(json.dumps(value, ensure_ascii=False)):
        raise PfsmError(f"{where}: half of a surrogate pair, which is not text; write the file in UTF-8")
    return value

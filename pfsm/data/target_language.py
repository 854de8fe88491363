"""The languages that data say their translations are in."""

from pfsm.data.judgments import Judgments
from pfsm.data.preferences import Preferences
from pfsm.text.languages import language_code

TARGET_LANGUAGE = "target_lang"


def target_languages(*parts: Judgments | Preferences | None) -> frozenset[str]:
    """Codes of all languages that the column ``target_lang`` names; none where a row has none.

    Raises:
        PfsmError: If it names what is no language.
    """
    found: set[str] = set()
    for part in parts:
        if part is None or not len(part):
            continue
        named = set(part.columns.get(TARGET_LANGUAGE, ("",)))
        if "" in named:
            return frozenset()
        found |= {language_code(name) for name in named}
    return frozenset(found)

"""Small tables and files for the tests of lexicons."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pfsm.lexicons.compiling import Part, compile_paraphrases, compile_synonyms
from pfsm.lexicons.container import Lexicon, write_lexicon
from pfsm.lexicons.registry import SUFFIX

if TYPE_CHECKING:
    from pfsm.lexicons.paraphrases import Phrase

NOUNS = Part(
    "n",
    {"kid": ["1", "2"], "child": ["1"], "goat": ["2"], "leaf": ["3"], "page": ["3"], "glass": ["4"]},
    {"children": ["child"], "leaves": ["leaf"]},
    (("s", ""), ("ses", "s")),
)
VERBS = Part("v", {"leave": ["1"], "go": ["1", "2"], "page": ["3"]}, {"went": ["go"]}, (("s", ""),))


def synonyms(name: str = "few") -> Lexicon:
    """A dictionary of nine words."""
    return compile_synonyms(name, [NOUNS, VERBS], "free", [])


def paraphrases(pairs: Mapping[tuple[str, str], float], name: str = "few") -> Lexicon:
    """A table of phrases given as text."""
    split: dict[tuple[Phrase, Phrase], float] = {
        (tuple(one.split()), tuple(other.split())): value for (one, other), value in pairs.items()
    }
    return compile_paraphrases(name, split, "free", [])


def install(lexicon: Lexicon, folder: Path) -> Path:
    """Writes a table where it is found when PFSM_RESOURCES names the folder."""
    path = folder / f"{lexicon.name}{SUFFIX}"
    write_lexicon(lexicon, path)
    return path


WORDNET_INDEX = {
    "index.noun": "  1 A licence that is not data.\nkid n 2 1 @ 2 1 00000100 00000200\nchild n 1 0 1 1 00000100\n"
    "goat n 1 2 @ ~ 1 0 00000200\n",
    "index.verb": "go v 2 0 2 2 00000001 00000002\ndepart v 1 0 1 1 00000001\n",
    "index.adj": "good a 1 0 1 1 00000007\nfine a 1 0 1 0 00000007\n",
    "index.adv": "well r 1 0 1 1 00000009\n",
    "noun.exc": "children child\n",
    "verb.exc": "went go\n",
    "adj.exc": "better good\n",
    "adv.exc": "better well\n",
}


def write_wordnet(folder: Path, **changed: str) -> Path:
    """A folder with a made-up WordNet database; ``index_noun="…"`` replaces a file."""
    folder.mkdir(exist_ok=True)
    for name, content in WORDNET_INDEX.items():
        (folder / name).write_text(changed.get(name.replace(".", "_"), content), encoding="utf-8")
    return folder

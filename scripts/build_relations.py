"""Builds pfsm/resources/lexicons/wordnet-relations-3.0.lexicon from WordNet's database files.

    python scripts/build_relations.py [FOLDER]

FOLDER contains ``index.*``, ``data.*`` and ``*.exc`` of WordNet 3.0. The default is ``/usr/share/wordnet``, the folder
of Debian's package ``wordnet-base``. Run ``build_synonyms.py`` on the same files before, since the relations refer to
its ``wordnet-3.0.lexicon``. The same files give the same bytes.
"""

import sys
from pathlib import Path

from pfsm.lexicons.container import read_lexicon, write_lexicon
from pfsm.lexicons.relations import compile_relations
from pfsm.lexicons.wordnet import read_wordnet, read_wordnet_relations

CHECKOUT = Path(__file__).resolve().parent.parent
FOLDER = CHECKOUT / "pfsm" / "resources" / "lexicons"
NAME = "wordnet-relations-3.0"
SYNONYMS = "wordnet-3.0"
ABOUT = "WordNet's antonyms and hypernyms"


def main() -> None:
    """Reads WordNet and writes the lexicon."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/wordnet")
    parts, _ = read_wordnet(folder)
    relations, sources = read_wordnet_relations(folder)
    table = read_lexicon(FOLDER / f"{SYNONYMS}.lexicon")
    lexicon = compile_relations(NAME, relations, table, parts, sources, ABOUT)
    path = FOLDER / f"{NAME}.lexicon"
    write_lexicon(lexicon, path)
    print(f"{path.name}: {path.stat().st_size:,} bytes; {dict(lexicon.counts)}")


if __name__ == "__main__":
    main()

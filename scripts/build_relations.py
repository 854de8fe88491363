"""Builds pfsm/resources/lexicons/wordnet-relations-3.0.lexicon from WordNet's database files.

    python scripts/build_relations.py [FOLDER]

FOLDER holds ``index.*``, ``data.*`` and ``*.exc`` of WordNet 3.0, by default ``/usr/share/wordnet``, where Debian's
package ``wordnet-base`` puts them; ``wordnet-3.0.lexicon`` must be the one that ``build_synonyms.py`` makes of the same
files. The same files give the same bytes.
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
    """Reads, compiles, writes."""
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

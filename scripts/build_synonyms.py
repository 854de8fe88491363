"""Builds pfsm/resources/lexicons/wordnet-3.0.lexicon from WordNet's database files.

    python scripts/build_synonyms.py [FOLDER]

FOLDER contains ``index.*`` and ``*.exc`` of WordNet 3.0. The default is ``/usr/share/wordnet``, the folder of Debian's
package ``wordnet-base``. The same files give the same bytes.
"""

import sys
from pathlib import Path

from pfsm.lexicons.container import write_lexicon
from pfsm.lexicons.synonyms import compile_synonyms
from pfsm.lexicons.wordnet import read_wordnet

CHECKOUT = Path(__file__).resolve().parent.parent
NAME = "wordnet-3.0"
LICENCE = "WordNet 3.0 License, Princeton University"
ABOUT = "WordNet's nouns, verbs, adjectives and adverbs with their inflected forms"


def main() -> None:
    """Reads WordNet and writes the lexicon."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/wordnet")
    parts, sources = read_wordnet(folder)
    lexicon = compile_synonyms(NAME, parts, LICENCE, sources, ABOUT)
    path = CHECKOUT / "pfsm" / "resources" / "lexicons" / f"{NAME}.lexicon"
    write_lexicon(lexicon, path)
    print(f"{path.name}: {path.stat().st_size:,} bytes; {dict(lexicon.counts)}")


if __name__ == "__main__":
    main()

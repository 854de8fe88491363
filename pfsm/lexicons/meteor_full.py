"""METEOR's complete English paraphrase table, for the metric METEOR: 5.3 million entries, up to seven words per side.

`pfsm.lexicons.meteor` keeps the part of the same file that the matcher ``S_para`` can use.
"""

from array import array
from pathlib import Path

import numpy as np

from pfsm.io.files import checksum
from pfsm.lexicons.container import Lexicon, Source, write_lexicon
from pfsm.lexicons.meteor import LICENCE, METEOR, table_to_compile
from pfsm.lexicons.paraphrase_formats import read_paraphrases
from pfsm.lexicons.paraphrases import KIND, Links, compile_links
from pfsm.lexicons.recipe import Recipe

NAME = "meteor-en-full"
ABOUT = "METEOR 1.5's English paraphrases, all of them; for the metric meteor"


def compile_meteor_full(path: Path) -> None:
    """Compiles the table, with progress on standard error. Takes about a minute and 2 GB of memory.

    Raises:
        PfsmError: If the table is missing or the result cannot be written.
    """
    write_lexicon(full_table(table_to_compile(NAME, path, "a minute")), path)


def full_table(path: Path) -> Lexicon:
    """The lexicon of a table in METEOR's format, every entry kept; probabilities above 1 count as 1.

    Raises:
        PfsmError: If the file cannot be read, or is not in METEOR's format.
    """
    number_of: dict[str, int] = {}
    given, meant, probabilities = array("i"), array("i"), array("d")
    for phrase, paraphrase, probability in read_paraphrases(path, "meteor"):
        given.append(number_of.setdefault(phrase, len(number_of)))
        meant.append(number_of.setdefault(paraphrase, len(number_of)))
        probabilities.append(probability)
    split = [tuple(phrase.split()) for phrase in number_of]
    place_of = {phrase: place for place, phrase in enumerate(sorted(set(split)))}
    place = np.fromiter((place_of[phrase] for phrase in split), np.int32, len(split))
    links = Links(
        place[np.frombuffer(given, np.int32)],
        place[np.frombuffer(meant, np.int32)],
        np.minimum(np.frombuffer(probabilities, np.float64), 1.0),
    )
    source = Source(path.name, checksum(path))
    return compile_links(NAME, list(place_of), links, LICENCE, [source], ABOUT)


METEOR_FULL = Recipe(KIND, ABOUT, METEOR.is_possible, METEOR.package, METEOR.extra, compile_meteor_full)

"""Builds the lexicons in pfsm/resources; the same files give the same bytes.

    python scripts/build_lexicons.py synonyms relations   # from WordNet 3.0
    PFSM_DATA=… python scripts/build_lexicons.py paraphrases function-words

``wordnet-3.0.lexicon`` and ``wordnet-relations-3.0.lexicon``, which refers to it, come from WordNet's database files in
``--wordnet`` (default: ``/usr/share/wordnet``, the folder of Debian's package ``wordnet-base``).

``learned-en.lexicon`` has the paraphrases that ``pfsm resources learn-paraphrases`` learns with its defaults from
references and translations of sets on which no result is reported: WMT15 direct assessment (cs de fi ru), WMT21 direct
assessment (is ja ru) and MQM (zh), WMT19 relative ranking (gu), all into English. The metric that aligns them (words,
stems, punctuation) is trained on WMT15 here, since the shipped ones are trained on WMT16 too; no other scores are used.
Post-edits (MLQE-PE) were tried and left out, because a post-edit mostly replaces an error by its correction.

``function_words.txt`` has the words with a relative frequency above .001, as in METEOR, in references of public test
sets. Each distinct reference counts once; words are those of METEOR's tokeniser, numbers are left out.
"""

import argparse
from collections import Counter
from pathlib import Path

from real_data import CHECKOUT, data_folder, into_english

from pfsm.data import Judgments, read_judgments, read_table
from pfsm.io.files import atomic_write
from pfsm.lexicons.compiling import compile_paraphrases, compile_synonyms
from pfsm.lexicons.container import Lexicon, Source, read_lexicon, write_lexicon
from pfsm.lexicons.relations import compile_relations
from pfsm.lexicons.wordnet import read_wordnet, read_wordnet_relations
from pfsm.metrics.meteor.words import Abbreviations, meteor_tokeniser
from pfsm.runtime.threads import default_threads
from pfsm.text.chunks import CachedTokeniser
from pfsm_training import train
from pfsm_training.config import config_from_dict
from pfsm_training.paraphrases import learn_paraphrases, read_versions

RESOURCES = CHECKOUT / "pfsm" / "resources"
FOLDER = RESOURCES / "lexicons"
WORDNET = "WordNet 3.0 License, Princeton University"
PARAPHRASES = ("wmt15-daseg/*-en-*", "wmt19-darr/gu-en-*", "wmt21-da/*-en-*", "wmt21-mqm/*-en-*")
SETS = {
    "en": ("wmt12-rr", "wmt13-rr", "wmt15-daseg", "wmt16-daseg", "wmt19-darr", "wmt21-da"),
    "de": ("mlqe-pe",),
    "es": ("iwslt19-enes",),
}
FREQUENCY = 1e-3
WIDTH = 118
HEAD = """\
# Words with a relative frequency above .001 in references of public test sets, by language, the most frequent first.
# Made by scripts/build_lexicons.py.
"""


def main() -> None:
    """Builds what is named."""
    kinds = {
        "synonyms": synonyms,
        "relations": relations,
        "paraphrases": paraphrases,
        "function-words": function_words,
    }
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kinds", nargs="+", choices=kinds, metavar="KIND", help=f"of {', '.join(kinds)}")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), metavar="FOLDER")
    options = parser.parse_args()
    for kind in options.kinds:
        print(kinds[kind](options.wordnet))


def synonyms(wordnet: Path) -> str:
    """Reads WordNet and writes its synonyms."""
    parts, sources = read_wordnet(wordnet)
    about = "WordNet's nouns, verbs, adjectives and adverbs with their inflected forms"
    return written(compile_synonyms("wordnet-3.0", parts, WORDNET, sources, about))


def relations(wordnet: Path) -> str:
    """Reads WordNet and writes its antonyms and hypernyms."""
    parts, _ = read_wordnet(wordnet)
    found, sources = read_wordnet_relations(wordnet)
    table = read_lexicon(FOLDER / "wordnet-3.0.lexicon")
    about = "WordNet's antonyms and hypernyms"
    return written(compile_relations("wordnet-relations-3.0", found, table, parts, sources, about))


def written(lexicon: Lexicon) -> str:
    """Writes a lexicon under its name, and tells what it holds."""
    path = FOLDER / f"{lexicon.name}.lexicon"
    write_lexicon(lexicon, path)
    return f"{path.name}: {path.stat().st_size:,} bytes; {dict(lexicon.counts)}"


def paraphrases(_: Path) -> str:
    """Learns the paraphrases and writes them."""
    data = data_folder()
    paths = [path for pattern in PARAPHRASES for path in sorted(data.glob(pattern))]
    segments, files = read_versions(paths)
    judgments = Judgments.join([read_judgments(path) for path in into_english(data / "wmt15-daseg")])
    model = train(judgments, config=config_from_dict({"lambda": 5}, "paraphrases"))
    pairs = learn_paraphrases(segments, model, threads=default_threads())
    sources = [
        Source(f"{path.parent.name}/{path.name}", file.checksum)
        for path, file in zip(paths, files, strict=True)
    ]
    about = "learned from references and translations of WMT15, 19 and 21 into English"
    return written(compile_paraphrases("learned-en", pairs, "Apache-2.0", sources, about))


def function_words(_: Path) -> str:
    """Counts the words and writes the file."""
    text, told = HEAD, []
    for language, sets in SETS.items():
        words, n_words = frequent_words(language, sets)
        text += f"\n# From {n_words:,} words.\n[{language}]\n{wrapped(words)}"
        told.append(f"{language}: {len(words)} function words of {n_words:,} words")
    with atomic_write(RESOURCES / "meteor" / "function_words.txt") as handle:
        handle.write(text)
    return "\n".join(told)


def frequent_words(language: str, sets: tuple[str, ...]) -> tuple[list[str], int]:
    """The function words of a language, and the number of words counted."""
    files = [path for name in sets for path in sorted((data_folder() / name).glob(f"*-{language}-*.tsv.gz"))]
    references = sorted({line for path in files for line in read_table(path).column("reference")})
    tokenise = CachedTokeniser(meteor_tokeniser(language, Abbreviations()))
    counts = Counter(word for line in references for word in tokenise(line))
    total = counts.total()
    frequent = [word for word, count in counts.items() if count > FREQUENCY * total and not word.isdecimal()]
    return sorted(frequent, key=lambda word: (-counts[word], word)), total


def wrapped(words: list[str]) -> str:
    """The words broken into lines; `textwrap` would break them at hyphens."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()

"""``pfsm resources``: lists tables and encoders, compiles tables, and learns paraphrases."""

from argparse import ArgumentParser, Namespace
from itertools import chain
from pathlib import Path
from typing import Any

from pfsm.commands.options import declare, number_where
from pfsm.commands.output import print_json, tell
from pfsm.embeddings.encoders import described_encoders
from pfsm.errors import PfsmError
from pfsm.io.files import checksum, display_name
from pfsm.lexicons import compiling, meteor, paraphrases, registry, synonyms
from pfsm.lexicons.container import Lexicon, Source, read_lexicon, write_lexicon
from pfsm.lexicons.paraphrase_formats import (
    LONGEST,
    SMALLEST_PROBABILITY,
    format_of,
    pruned,
    read_paraphrases,
)
from pfsm.registry import plugins
from pfsm.runtime.terminal import Stage

NAMED = """
--name NAME!  name by which models will refer to the table
--licence LICENCE  licence of the table, recorded in it
"""
SYNONYMS = f"""
source SOURCE+  a folder with WordNet's index.* and *.exc, or tab files
{NAMED.strip()}
--forms FILE  with tab files: lines form<TAB>lemma with the lemmas of inflected words
"""
PARAPHRASES = f"""
source FILE+  files of one format, plain or .gz
{NAMED.strip()}
--layout {{meteor,terp,ppdb}}  format of the files (default: detected from the first line of each)
--longest N [{LONGEST}]  leave out phrases of more than N words (default: {LONGEST})
--smallest P [{SMALLEST_PROBABILITY}]  leave out pairs with a probability below P (default: {SMALLEST_PROBABILITY})
--feature FEATURE  with PPDB: the feature with the negative logarithm of the probability (default: -logp(e2|e1) or
  p(e|f))
"""
# `en-small` has no table of paraphrases, so its alignments do not depend on paraphrases already known.
LEARNING = f"""
@unquote
data DATA+  TSV or CSV files with reference and hypothesis, or better and worse; their scores are not used
{NAMED.strip()}
@model en-small
--segments N [5]  leave out pairs found in fewer than N segments (default: 5)
@threads
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    probability = number_where(lambda value: 0.0 <= value <= 1.0, "is not a number from 0 to 1")
    parser.set_defaults(action=_list, format="text")
    actions = parser.add_subparsers(metavar="ACTION", title="actions")
    declare(actions.add_parser("list", help="list the installed tables (the default)"), "@format text json")
    compiling = actions.add_parser("compile", help="compile a table from the files of another project")
    kinds = compiling.add_subparsers(metavar="KIND", title="kinds", required=True)
    synonymous = kinds.add_parser(synonyms.KIND, help="from a WordNet database or Open Multilingual Wordnet")
    declare(synonymous, SYNONYMS)
    synonymous.set_defaults(action=_compile_synonyms)
    paraphrasing = kinds.add_parser(paraphrases.KIND, help="from METEOR's, TERp's or PPDB's files")
    declare(paraphrasing, PARAPHRASES, smallest=probability)
    paraphrasing.set_defaults(action=_compile_paraphrases)
    learning = actions.add_parser("learn-paraphrases", help="find paraphrases in references and translations")
    declare(learning, LEARNING)
    learning.set_defaults(action=_learn)


def run(options: Namespace) -> None:
    """Lists, compiles or learns."""
    options.action(options)


def _compile_synonyms(options: Namespace) -> None:
    from pfsm.lexicons.omw import read_multilingual  # noqa: PLC0415
    from pfsm.lexicons.wordnet import is_wordnet, read_wordnet  # noqa: PLC0415

    path = _output(options.name)
    folders = [source for source in options.source if Path(source).is_dir()]
    parts: list[compiling.Part]
    if folders:
        if len(options.source) > 1 or options.forms is not None:
            raise PfsmError("give one folder with WordNet's database and nothing else, or tab files")
        if not is_wordnet(folders[0]):
            raise PfsmError(
                f"{folders[0]}: contains no file index.noun; give a folder with WordNet's database"
            )
        (parts, sources), licence = read_wordnet(folders[0]), ""
    else:
        part, sources, licence = read_multilingual(options.source, options.forms)
        parts = [part]
    _write(
        compiling.compile_synonyms(options.name, parts, options.licence or licence or "not stated", sources),
        path,
    )


def _compile_paraphrases(options: Namespace) -> None:
    path = _output(options.name)
    pairs, read = pruned(
        chain.from_iterable(
            read_paraphrases(source, options.layout or format_of(source), options.feature)
            for source in options.source
        ),
        options.longest,
        options.smallest,
        lambda read, kept: tell(f"{read:,} entries read, {kept:,} kept"),
    )
    if not pairs:
        raise PfsmError(
            f"{options.source[0]}: none of {read} entries passes; raise --longest or lower --smallest"
        )
    sources = [Source(display_name(source), checksum(source)) for source in options.source]
    licence = options.licence or "not stated"
    _write(compiling.compile_paraphrases(options.name, pairs, licence, sources), path)


def _learn(options: Namespace) -> None:
    from pfsm.model.shipped import find_model  # noqa: PLC0415
    from pfsm.runtime.threads import default_threads  # noqa: PLC0415
    from pfsm_training.paraphrases import (  # noqa: PLC0415
        Thresholds,
        learn_paraphrases,
        read_versions,
    )

    path = _output(options.name)
    model = find_model(options.model)
    segments, files = read_versions(options.data)
    thresholds, threads = Thresholds(segments=options.segments), options.threads or default_threads()
    with Stage("training", "aligning", len(segments), "segments") as stage:
        pairs = learn_paraphrases(
            segments,
            model,
            thresholds,
            threads,
            lambda done, read: stage.reach(done, f"{read:,} pairs of versions"),
        )
    if not pairs:
        raise PfsmError(
            f"no pair of phrases in {len(segments)} segments passes; give more data, or lower --segments"
        )
    sources = sorted(
        (Source(file.name, file.checksum) for file in files), key=lambda file: (file.name, file.sha256)
    )
    _write(
        compiling.compile_paraphrases(
            options.name,
            pairs,
            options.licence or "not stated",
            sources,
            f"learned with {model.name} ({model.fingerprint}) from references and translations",
        ),
        path,
    )


def _output(name: str) -> Path:
    return registry.user_path(registry.check_name(name, "--name"))


def _write(lexicon: Lexicon, path: Path) -> None:
    write_lexicon(lexicon, path)
    counts = ", ".join(f"{count:,} {what}" for what, count in lexicon.counts.items())
    print(f"{registry.load(lexicon.name, lexicon.kind).label}: {counts}")
    print(path)


def _list(options: Namespace) -> None:
    installed = registry.installed()
    here = {found.name for found in installed}
    entries = [
        *map(_entry, installed),
        *({**entry, "ships with pfsm": "yes"} for entry in described_encoders()),
        *(
            {
                "name": name,
                "kind": paraphrases.KIND,
                "about": recipe.about,
                "not compiled yet": "on first use" if meteor.table_path() else meteor.how_to_install(),
            }
            for name, recipe in meteor.RECIPES.items()
            if name not in here
        ),
        *(
            {"name": entry.name, "kind": f"plug-in ({entry.kind})", "package": entry.origin}
            for entry in plugins("matcher", "analyser", "tokeniser", "stemmer")
        ),
    ]
    if options.format == "json":
        print_json(entries)
        return
    for entry in entries:
        print(entry["name"])
        for key, value in entry.items():
            if key != "name":
                print(f"    {key}: {value}")


def _entry(found: registry.Installed) -> dict[str, Any]:
    place = {"place": str(found.path), "ships with pfsm": "yes" if found.shipped else "no"}
    try:
        lexicon = read_lexicon(found.path)
    except PfsmError as error:
        return {"name": found.name, "error": str(error), **place}
    return {
        "name": found.name,
        "kind": lexicon.kind,
        **({"about": lexicon.details["about"]} if lexicon.details.get("about") else {}),
        "version": lexicon.checksum,
        "content": ", ".join(f"{count:,} {what}" for what, count in lexicon.counts.items()),
        "size": f"{found.path.stat().st_size:,} bytes",
        "licence": lexicon.licence,
        "sources": ", ".join(f"{source.name} ({source.sha256[:8]})" for source in lexicon.sources),
        **place,
    }

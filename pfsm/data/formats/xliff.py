"""XLIFF's alternative translations as a table: each is a translation by its origin, whose reference is the target."""

from collections import Counter
from collections.abc import Sequence

from pfsm.data.bitext import units
from pfsm.data.formats.annotated import Rated, reading_of
from pfsm.data.formats.records import Options, Reading
from pfsm.data.formats.rows import language_code
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name


def read_xliff(paths: Sequence[StrPath], options: Options) -> Reading:
    """Read alternative translations, which have no scores; units without a target are left out."""
    notes: Counter[str] = Counter()
    rated: dict[int, Rated] = {}
    for unit in (unit for path in paths for unit in units(path)):
        if not unit.target:
            notes["units without a target left out"] += 1
            continue
        source_lang, target_lang = (language_code(name.partition("-")[0]) for name in unit.languages)
        place = {"source_lang": source_lang, "target_lang": target_lang, "document": unit.document}
        place |= {"segment_id": unit.name, "source": unit.source}
        for system, text in unit.alternatives.items():
            rated[len(rated)] = Rated(unit.line, place, (unit.target,), system, text)
    if not rated:
        raise PfsmError(
            f"{', '.join(map(display_name, paths))}: no alternative translations (alt-trans, match) to compare with "
            "targets; `pfsm score` reads the targets as lines"
        )
    return reading_of(rated, options, notes)

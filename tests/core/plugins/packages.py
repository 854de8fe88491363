"""Made-up packages with entry points: folders as `pip install` leaves them."""

import importlib
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent

from pfsm import registry

SAME_LENGTH = """
    import numpy as np
    from pfsm.matchers.plugin import EncodedPairs, MatcherPlugin, Offers

    class SameLength(MatcherPlugin):
        name = "same-length"

        def offers(self, pairs):
            lengths = np.array([len(token) for token in pairs.vocabulary.types], dtype=np.int64)
            sides = [lengths[side.ids] for side in (pairs.references, pairs.hypotheses)]
            rows = []
            for pair in range(len(pairs)):
                at = [(side.offsets[pair], side.offsets[pair + 1]) for side in (pairs.references, pairs.hypotheses)]
                left, right = (side[slice(*bounds)] for side, bounds in zip(sides, at))
                rows += [(pair, i, 1, j, 1) for i, j in np.argwhere(left[:, None] == right[None, :])]
            blocks = np.array(rows, dtype=np.int32).reshape(-1, 5)
            n = len(blocks)
            return Offers(
                blocks, ("same-length:any",), np.arange(n), np.zeros(n, dtype=np.int32), np.full(n, 0.5)
            )
"""
"""A matcher of words of as many characters."""


def installed(
    site: Path,
    name: str,
    groups: Mapping[str, Mapping[str, str]],
    modules: Mapping[str, str],
    version: str = "1.0",
) -> None:
    """Puts a package into a folder of packages; entry points by kind (``matcher``), sources of modules by name."""
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
    )
    lines = [
        line
        for kind, points in groups.items()
        for line in (f"[pfsm.{kind}s]", *(f"{point} = {target}" for point, target in points.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for module, source in modules.items():
        (site / f"{module}.py").write_text(dedent(source), encoding="utf-8")
    importlib.invalidate_caches()


def uninstalled(site: Path, name: str, modules: Sequence[str] = ()) -> None:
    """Takes the package away, but for its modules; forgets those of its modules that are imported."""
    for info in site.glob(f"{name.replace('-', '_')}-*.dist-info") if name else ():
        shutil.rmtree(info)
    for module in modules:
        sys.modules.pop(module, None)
    importlib.invalidate_caches()
    registry.reread()

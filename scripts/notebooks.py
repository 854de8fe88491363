"""Runs the notebooks in ``examples/notebooks`` without Jupyter, and compares or writes what they show.

    python scripts/notebooks.py            # fails where a notebook shows something else than it holds
    python scripts/notebooks.py --write    # writes what they show

Machines differ in the last digits of what they train: numbers may differ by a hundredth, digests of weights at will.

Each cell is run as Python; what it prints is its output, and its last expression is shown as Jupyter would show it: as
HTML where it has ``_repr_html_``, else as text.
"""

import argparse
import ast
import io
import json
import math
import os
import re
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

_DIGEST = re.compile(r"\b[0-9a-f]{8}\b")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
NOTEBOOKS = Path(__file__).resolve().parent.parent / "examples" / "notebooks"


def main() -> None:
    """Runs all of them, or those given."""
    parser = argparse.ArgumentParser(
        description="Runs notebooks; fails where one shows something else than it holds."
    )
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="FILE", help="default: all examples")
    parser.add_argument("--write", action="store_true", help="write what they show")
    options = parser.parse_args()
    os.environ.pop("PFSM_SEED", None)
    differing = 0
    for path in options.notebooks or sorted(NOTEBOOKS.glob("*.ipynb")):
        held = json.loads(path.read_text(encoding="utf-8"))
        ran = run(held)
        if options.write:
            path.write_text(
                json.dumps(ran, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n"
            )
            continue
        for number, (before, after) in enumerate(zip(held["cells"], ran["cells"], strict=True), 1):
            if not same(before.get("outputs"), after.get("outputs")):
                differing += 1
                print(f"{path.name}, cell {number}: shows something else than it holds", file=sys.stderr)
                print(json.dumps(after["outputs"], indent=1, ensure_ascii=False), file=sys.stderr)
    sys.exit(1 if differing else 0)


def same(one: object, other: object) -> bool:
    """Whether two outputs are the same but for digests and the last digits of numbers."""
    texts = [_DIGEST.sub("DIGEST", json.dumps(each)) for each in (one, other)]
    if _NUMBER.sub("", texts[0]) != _NUMBER.sub("", texts[1]):
        return False
    pairs = zip(*(map(float, _NUMBER.findall(text)) for text in texts), strict=True)
    return all(math.isclose(a, b, rel_tol=0.01, abs_tol=0.011) for a, b in pairs)


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with what its cells show; it runs in an empty folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                cells.append(cell)
                continue
            count = 1 + sum(one["cell_type"] == "code" for one in cells)
            outputs = shown("".join(cell["source"]), names, count)
            cells.append({**cell, "execution_count": count, "outputs": outputs})
    return {**notebook, "cells": cells}


def shown(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What a cell prints and shows, as a notebook holds it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        data = (
            {"text/html": [value._repr_html_()]}
            if hasattr(value, "_repr_html_")
            else {"text/plain": [repr(value)]}
        )
        outputs.append(
            {"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


if __name__ == "__main__":
    main()

"""Runs what guides and notebooks show; ``--write`` puts what they print now into them.

    python scripts/guides.py            # names those that differ
    python scripts/guides.py --write    # writes it into them

A page is run in a new folder that holds the files of the demonstration (``make demo`` leaves the same in
``demo-output``). Four kinds of blocks are run, in their order:

* ``{code-block}`` with a caption: the file of that name
* ``console``: commands after ``$``, each followed by what it prints on standard output
* ``python``: code; a block of ``text`` after it is what it prints
* ``sh``, ``json`` and ``yaml`` are not run: commands of another machine, excerpts

The notebooks of ``examples/notebooks`` run without Jupyter, each in an empty folder: what a cell prints is its output,
and its last expression is shown as Jupyter would show it, as HTML where it has ``_repr_html_``, else as text. Machines
differ in the last digits of what they train: numbers may differ by a hundredth, digests of weights at will.
"""

import argparse
import ast
import io
import json
import math
import os
import re
import runpy
import shlex
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any

from demo import prepare

from pfsm.cli import main as pfsm
from pfsm.model.shipped import shipped_models

CHECKOUT = Path(__file__).resolve().parent.parent
DOCS = CHECKOUT / "docs"
NOTEBOOKS = CHECKOUT / "examples" / "notebooks"
BLOCK = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r":caption: (?P<name>\S+)\n\n(?P<text>.*)", re.DOTALL)
_RUN = re.compile(r"^```(?:console|text|\{eval-rst\})$", re.MULTILINE)
_NOT_RUN = ("sh", "json", "yaml", "{eval-rst}")
# Of models: in a signature, and in what `pfsm show` prints.
_FINGERPRINT = re.compile(r"(?P<before>\bpfsm:(?P<name>[\w.-]+):|\(fingerprint )[0-9a-f]{8}\b")
_VERSION = re.compile(r"(\bpfsm:[\w.+:-]+:|\|version:)\d+\.\d+\.\d+")
_DIGEST = re.compile(r"\b[0-9a-f]{8}\b")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MINIMA = re.compile(r"^  \d+ minima: other starts end .*$", re.MULTILINE)
_TRAINING = re.compile(r"\bpfsm (?:train|tune|experiment)\b|\btrain\(")


class PageError(Exception):
    """A block that cannot be run, or that failed."""


def pages() -> list[Path]:
    """The pages whose blocks are run: those that show commands with what they print, and the reference of Python."""
    found = [CHECKOUT / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [path for path in found if _RUN.search(path.read_text(encoding="utf-8"))]


def comparable(text: str) -> str:
    """A page without the fingerprints of models that it trains, without versions of pfsm and counts of minima.

    On another kind of processor, training ends elsewhere in the last digit, and may come upon another minimum.
    """
    shipped = {model.name for model in shipped_models()}

    def masked(match: re.Match[str]) -> str:
        return match[0] if match["name"] in shipped else f"{match['before']}…"

    return _MINIMA.sub("", _VERSION.sub(r"\1…", _FINGERPRINT.sub(masked, text)))


def is_fresh(made: str, held: str) -> bool:
    """Whether a page shows what its commands print, but for what depends on the kind of processor.

    An encoder's numbers differ in the last digits of float32; those of a training by some hundredths.
    """
    trained = _TRAINING.search(held) is not None
    return alike(comparable(made), comparable(held), 0.02 if trained else 1e-6)


def run_page(text: str) -> str:
    """Runs the blocks of a page in the current folder; returns the page with what they print now."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    made, end = [], 0
    found = list(BLOCK.finditer(text))
    printed: str | None = None
    for match, following in pairwise([*found, None]):
        assert match is not None
        kind, content = match["kind"], match["content"]
        if kind.startswith("{code-block}"):
            _write_file(content)
        elif kind == "console":
            content = "".join(_session(command) for command in _commands(content))
        elif kind == "python":
            shows = following is not None and following["kind"] == "text"
            with redirect_stdout(io.StringIO()) as output:
                exec(compile(content, "a block of Python", "exec"), namespace)
            printed = output.getvalue()
            if printed and not shows:
                raise PageError(f"no block of text shows what this prints:\n{content}")
        elif kind == "text" and printed is not None:
            content, printed = printed, None
        elif kind not in _NOT_RUN:
            raise PageError(f"a block of the kind {kind!r}, which is not run:\n{content}")
        made += [text[end : match.start("content")], content]
        end = match.end("content")
    return "".join([*made, text[end:]])


def _write_file(content: str) -> None:
    match = _FILE.fullmatch(content)
    if match is None:
        raise PageError(f"a code-block needs a caption, the name of its file:\n{content}")
    Path(match["name"]).write_text(match["text"], encoding="utf-8")


def _commands(content: str) -> list[str]:
    """The commands of a block, with the lines that they go on in."""
    lines = content.replace("\\\n", "\\\0").splitlines()
    return [line.removeprefix("$ ").replace("\0", "\n") for line in lines if line.startswith("$ ")]


def _session(command: str) -> str:
    words = shlex.split(command.replace("\\\n", " "))
    target = first = None
    if ">" in words:
        target = words[words.index(">") + 1]
        words = words[: words.index(">")]
    if "|" in words:
        first = int(words[words.index("|") + 2].removeprefix("-"))
        words = words[: words.index("|")]
    output = _run(words)
    if first is not None:
        output = "".join(output.splitlines(keepends=True)[:first])
    if target is not None:
        Path(target).write_text(output, encoding="utf-8")
        output = ""
    return f"$ {command}\n{output}"


def _run(words: list[str]) -> str:
    """What ``pfsm``, ``cat``, ``head -N`` or ``python FILE`` prints."""
    if words[0] == "cat":
        return "".join(Path(name).read_text(encoding="utf-8") for name in words[1:])
    if words[0] == "head":
        lines = Path(words[2]).read_text(encoding="utf-8").splitlines(keepends=True)
        return "".join(lines[: int(words[1].removeprefix("-"))])
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors):
        if words[0] == "python":
            runpy.run_path(words[1], run_name="__main__")
            status = 0
        elif words[0] == "pfsm":
            status = pfsm(words[1:])
        else:
            raise PageError(f"{words[0]} is not a command that pages are run with")
    if status:
        raise PageError(f"{shlex.join(words)}: status {status}\n{errors.getvalue()}")
    return "".join(f"{line.rstrip()}\n" for line in output.getvalue().splitlines())


def same(one: object, other: object) -> bool:
    """Whether two outputs of a notebook are the same but for digests and the last digits of numbers."""
    first, second = (_DIGEST.sub("DIGEST", json.dumps(each)) for each in (one, other))
    return alike(first, second, 0.01)


def alike(one: str, other: str, tolerance: float) -> bool:
    """Whether two texts are the same but for numbers, and these to within a share or a difference of this size."""
    if _NUMBER.sub("", one) != _NUMBER.sub("", other):
        return False
    pairs = zip(*(map(float, _NUMBER.findall(text)) for text in (one, other)), strict=True)
    return all(math.isclose(a, b, rel_tol=tolerance, abs_tol=1.1 * tolerance) for a, b in pairs)


def run_notebook(notebook: dict[str, Any]) -> dict[str, Any]:
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


def made_now(path: Path, text: str) -> tuple[str, bool]:
    """A page or a notebook with what it shows now, and whether that is what it holds."""
    if path.suffix == ".ipynb":
        held = json.loads(text)
        ran = run_notebook(held)
        cells = zip(held["cells"], ran["cells"], strict=True)
        fresh = all(same(before.get("outputs"), after.get("outputs")) for before, after in cells)
        return json.dumps(ran, indent=1, ensure_ascii=False) + "\n", fresh
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder) / "demo-output")
        with chdir(Path(folder) / "demo-output"):
            try:
                made = run_page(text)
            except PageError as fault:
                sys.exit(f"{path.name}: {fault}")
    return made, is_fresh(made, text)


def main() -> None:
    """Runs all pages and notebooks, or those named; says or writes what differs."""
    parser = argparse.ArgumentParser(description="Runs what guides and notebooks show.")
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true", help="write what they print now into them")
    options = parser.parse_args()
    os.environ["PFSM_NO_NOTICE"] = "1"
    os.environ.pop("PFSM_SEED", None)
    stale = []
    for path in [page.resolve() for page in options.pages] or [*pages(), *sorted(NOTEBOOKS.glob("*.ipynb"))]:
        made, fresh = made_now(path, path.read_text(encoding="utf-8"))
        if not fresh:
            stale.append(path.name)
            if options.write:
                path.write_text(made, encoding="utf-8", newline="\n")
    if stale:
        print(f"{'written' if options.write else 'stale'}: {', '.join(stale)}")
    sys.exit(bool(stale) and not options.write)


if __name__ == "__main__":
    main()

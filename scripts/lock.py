"""Writes ``requirements/*.txt``: every dependency with one version and the hashes of its files.

    python scripts/lock.py            # versions of constraints.txt; all others stay as they are
    python scripts/lock.py --newest   # all others anew, as new as the index has them

``make lock`` runs it. It needs uv (https://docs.astral.sh/uv) and a package index. ``pip install --require-hashes``
then installs nothing else, whatever the index has by that time.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
FOLDER = CHECKOUT / "requirements"
_DEV = ("train", "dev", "docs")
_ALL = ("languages", "integrations", "paraphrases", "distributed", "experiment", "transformers")
# Each lock and the extras that it covers.
LOCKS = {"dev.txt": _DEV, "all.txt": (*_DEV, *_ALL)}
HEADER = """\
# Made by scripts/lock.py (make lock): {extras}.
# pip install --require-hashes --requirement requirements/{name}
# pip install --no-deps --no-build-isolation --editable .
# PyTorch is the build without CUDA: on Linux the index needs to have it (docs/licences.md).
"""
# What PyTorch's build with CUDA requires; the lock is for the one without.
_CUDA = re.compile(r"^(nvidia|cuda)-|^triton$")
# The files of PyTorch without CUDA. A lock that allowed others as well would take the index's first choice for Linux.
_TORCH = {
    "2.13.0": (
        "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b",  # 2.13.0+cpu, Python 3.11, Linux, x86-64
        "e76f9bcecc52b8ff711239a2f7547d5353df95878ab232f0773c1d95928b92f8",  # Python 3.11, macOS
        "2fe228aba290d14b9f31b049be550dbd469c3fd3013d7a19705b30454da97027",  # Python 3.12, macOS
        "33449899ce5496c1b84b4853179d94fd102028ae1407314d9fb956bb79e70d09",  # Python 3.13, macOS
        "a0d8b11f16a48d60e2015d8213aa0390744cbebb98e58b62b3514dddc656e330",  # Python 3.11, Windows
        "024c6cc0c1b085f2f91f20a3dc27b0471d021c31ce84b81be3afdc39f791fd9d",  # Python 3.12, Windows
        "49b58f1e2c52440abb6f17c28f0335fe6c6d01ad1a7f55b0183b81e4b34d64e6",  # Python 3.13, Windows
    )
}
# The build of the package itself takes setuptools from the lock.
_BUILD = "setuptools>=77"

_PACKAGE = re.compile(r"^([a-z0-9.-]+)==([^ ;]+)[^\n]*\n", re.MULTILINE)


def main() -> None:
    """Resolves and writes both locks."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--newest", action="store_true", help="forget the versions of the locks")
    newest = parser.parse_args().newest
    for name, extras in LOCKS.items():
        path = FOLDER / name
        before = "" if newest or not path.is_file() else path.read_text(encoding="utf-8")
        # The lines of each package: its name and version, its hashes, and what requires it.
        blocks = re.split(r"^(?=[a-z0-9])", _resolved(extras, before), flags=re.MULTILINE)[1:]
        packages = list(filter(None, map(cleaned, blocks)))
        path.write_text(
            "".join([HEADER.format(extras=f"extras {', '.join(extras)}", name=name), *packages]),
            encoding="utf-8",
        )
        print(f"{path.relative_to(CHECKOUT)}: {len(packages)} packages")


def cleaned(block: str) -> str:
    """A package as uv writes it, without CUDA and without names of files; empty if only CUDA needs it."""
    head = _PACKAGE.match(block)
    if head is None:
        sys.exit(f"lock.py: {block.splitlines()[0]!r} is not a package with one version")
    name, version = head.groups()
    if _CUDA.match(name):
        return ""
    if name == "torch":
        if version not in _TORCH:
            sys.exit(
                f"lock.py: _TORCH has no hashes of torch {version}; add those of its builds without CUDA"
            )
        hashes = " \\\n".join(f"    --hash=sha256:{one}" for one in sorted(_TORCH[version]))
        block = head[0] + hashes + block[block.index("\n    # via") :]
    start, _, requirers = block.partition("    # via ")
    via = {one.strip().removesuffix(" (pyproject.toml)") for one in requirers.split(",")}
    named = sorted(one for one in via if one and not one.startswith("-"))
    return start + (f"    # via {', '.join(named)}\n" if named else "")


def _resolved(extras: tuple[str, ...], before: str) -> str:
    """What uv resolves; versions in ``before`` are kept where they fit."""
    with tempfile.TemporaryDirectory() as folder:
        output, build = Path(folder) / "locked.txt", Path(folder) / "build.txt"
        output.write_text(before, encoding="utf-8")
        build.write_text(_BUILD + "\n", encoding="utf-8")
        command = [
            "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--python-version", "3.11",
            "--no-header", "--annotation-style", "line", "--constraint", "constraints.txt",
            "--output-file", str(output), *(f"--extra={extra}" for extra in extras), "pyproject.toml", str(build),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            sys.exit("lock.py: no uv here; pip install uv")
        if done.returncode:
            sys.exit(f"lock.py: {done.stderr.strip()}")
        return output.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()

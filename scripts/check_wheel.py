"""Builds the wheel twice, installs it into a clean environment without torch, and scores with it there.

Both builds must have the same bytes.

The rest finds faults that an editable install hides: files that are not packaged, imports of packages that are not
dependencies, scoring that needs torch. ``make test`` runs it.

    python scripts/check_wheel.py [FOLDER]    # leaves the wheel in FOLDER
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
LARGEST = 95 * 10**6
"""Bytes of a file: what an index takes is 100 MB."""
PACKAGES = ("pfsm", "pfsm_kernels", "pfsm_training", "pfsm_experiments", "pfsm_linguistics", "pfsm_studio")
PLACES = ("pfsm", "kernels", "training", "linguistics", "studio")

PROBE = """
import importlib.util, sys
assert importlib.util.find_spec("torch") is None, "torch came in with the light install"
import pfsm
heavy = [name for name in ("numba", "torch", "nltk", "onnxruntime", "scipy.stats", "tokenizers") if name in sys.modules]
assert not heavy, f"import pfsm brings {heavy}"
metric = pfsm.load()
assert "site-packages" in pfsm.__file__, pfsm.__file__
same = metric.sentence_score("The cat sat down.", ["The cat sat down."])
other = metric.sentence_score("A dog ran off", ["The cat sat down."])
assert same > other, (same, other)
assert metric.get_signature().endswith("version:" + pfsm.__version__)
print(same)
"""


def main() -> None:
    """Builds, installs and checks the wheel."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder) / "one")
        again = build(Path(folder) / "another", private=True)
        if wheel.read_bytes() != again.read_bytes():
            sys.exit(f"{wheel.name}: two builds of the same files differ")
        check_content(wheel)
        python = install(wheel, Path(folder) / "environment")
        run(python, "-c", PROBE, cwd=folder)
        try_commands(python, Path(folder))
        print(f"{wheel.name}: installs without torch and scores")
        if len(sys.argv) > 1:
            kept = Path(sys.argv[1])
            kept.mkdir(exist_ok=True)
            made = Path(shutil.copy(wheel, kept))
            print(f"made {made}; install it with: pip install {made}")


def run(*command: str | Path, cwd: str | Path, expect: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs a command outside the checkout; shows its output and exits if its status is not the expected one."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode != expect:
        sys.exit(f"{' '.join(words)[:200]}\nstatus {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def environment() -> dict[str, str]:
    """The environment variables, without those that would lead Python to this checkout."""
    return {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}}


def build(folder: Path, kind: str = "--wheel", source: Path = CHECKOUT, *, private: bool = False) -> Path:
    """A distribution built in a folder from a copy without the leftovers of earlier builds."""
    copy = folder / "source"
    left_out = shutil.ignore_patterns(".*", "build", "dist", "demo-output", "*.egg-info", "__pycache__")
    shutil.copytree(source, copy, ignore=left_out)
    before = os.umask(0o077 if private else 0o022)
    if private:
        for path in copy.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
            os.utime(path)
    try:
        command = (sys.executable, "-m", "build", kind, "--no-isolation", "--outdir", folder / "dist", copy)
        run(*command, cwd=folder)
    finally:
        os.umask(before)
    (made,) = (folder / "dist").iterdir()
    return made


def check_content(wheel: Path) -> None:
    """Checks the size of the wheel, its licences and its files: all that git knows of the packages, and no others."""
    names = zipfile.ZipFile(wheel).namelist()
    listed = run("git", "ls-files", *(f":/{place}" for place in PLACES), cwd=CHECKOUT).stdout.splitlines()
    # All packages but `pfsm` lie in a folder of their own.
    ours = {path if path.startswith("pfsm/") else path.partition("/")[2] for path in listed}
    licences = {f"licenses/{path}" for path in listed if path.endswith("LICENSE")} | {"licenses/LICENSE"}
    for wanted in sorted(ours | licences):
        if not any(name.endswith(wanted) for name in names):
            sys.exit(f"{wheel.name}: {wanted} is missing")
    expected = (*(f"{package}/" for package in PACKAGES), "pfsm_metric-")
    stray = [name for name in names if not name.startswith(expected)]
    if stray or wheel.stat().st_size > LARGEST:
        sys.exit(f"{wheel.name}: {wheel.stat().st_size} bytes, unexpected files {stray}")


def install(wheel: Path, environment: Path) -> Path:
    """Creates an environment with nothing but the wheel and its dependencies; returns its Python."""
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    run(
        python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--constraint", CHECKOUT / "constraints.txt", wheel, cwd=environment,
    )  # fmt: skip
    return python


def try_commands(python: Path, folder: Path) -> None:
    """Runs the commands that must work without torch, and ``pfsm train``, which must say that it needs it."""
    (folder / "ref.txt").write_text("The cat sat down.\n\n", encoding="utf-8")
    (folder / "hyp.txt").write_text("The cat sat.\n\n", encoding="utf-8")
    pfsm = python.with_name("pfsm")
    run(pfsm, "--help", cwd=folder)
    run(pfsm, "models", cwd=folder)
    scored = run(pfsm, "score", "ref.txt", "-i", "hyp.txt", "-sl", "--format", "json", cwd=folder)
    if len(json.loads(scored.stdout)["segment_scores"]) != 2:
        sys.exit(f"pfsm score printed {scored.stdout}")
    run(pfsm, "score", "ref.txt", "-i", "hyp.txt", "--metric", "chrf++", cwd=folder)
    run(pfsm, "compare", "ref.txt", "-i", "hyp.txt", "ref.txt", cwd=folder)
    refused = run(pfsm, "train", "ref.txt", "-o", "model.json", cwd=folder, expect=2)
    if "pip install 'pfsm-metric[train]'\n" not in refused.stderr:
        sys.exit(f"pfsm train without torch said {refused.stderr}")


if __name__ == "__main__":
    main()

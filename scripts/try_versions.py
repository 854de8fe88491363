"""Runs tests with another version of Python, or with the oldest dependencies that pyproject.toml allows.

    python scripts/try_versions.py --python 3.13                          # newest dependencies
    python scripts/try_versions.py --python 3.11 --resolution lowest-direct
    python scripts/try_versions.py --python 3.12 tests/evaluation         # other tests

``make versions`` runs the first two and Python 3.12. It needs uv, which resolves and installs into ``.venv-try-…``.
PyTorch stays at the version of constraints.txt, in its build without CUDA; where the index has none for that Python,
the tests that train are left out. Where there is no such Python, a line says so and the exit status is 0.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
# A part of the suite that touches every dependency, in a few minutes with cold kernels.
TESTS = (
    "tests/io", "tests/text", "tests/data", "tests/lattice", "tests/matchers", "tests/model/test_metric.py",
    "tests/metrics/test_metrics.py", "tests/embeddings/test_network.py", "tests/commands/test_score.py",
    "tests/commands/test_score_tables.py",
)  # fmt: skip
TRAINING = (
    "tests/training/test_train.py",
    "tests/training/test_losses.py",
    "tests/commands/test_experiment.py",
)
# Of `TESTS`, what cannot run without PyTorch.
NEED_TORCH = (
    "tests/embeddings/test_network.py",
    "tests/matchers/test_embedding.py::TestRarity::test_through_training_and_back",
    "tests/model/test_metric.py::test_a_metric_by_its_file",
)
RESOLUTIONS = ("highest", "lowest-direct")


def main() -> None:
    """Makes the environment, and runs the tests in it; exits with their status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default="3.11", metavar="VERSION", help="such as 3.13 (default: 3.11)")
    parser.add_argument(
        "--resolution", choices=RESOLUTIONS, default="highest", help="versions of dependencies"
    )
    parser.add_argument("tests", nargs="*", help="files and folders of tests (default: a part of each)")
    options = parser.parse_args()
    python = interpreter(options.python)
    if python is None:
        print(f"SKIPPED: no Python {options.python} on this machine; its tests did not run", file=sys.stderr)
        return
    if shutil.which("uv") is None:
        sys.exit("try_versions.py: no uv here; pip install uv")
    folder = CHECKOUT / f".venv-try-{options.python}-{options.resolution}"
    uv("venv", "--quiet", "--clear", "--python", str(python), str(folder))
    trains = install(folder, options.python, options.resolution)
    if not trains:
        print(
            f"SKIPPED: no PyTorch without CUDA for Python {options.python} in this index; tests that train did not run",
            file=sys.stderr,
        )
    tests = options.tests or [*TESTS, *(TRAINING if trains else ())]
    # pfsm itself is not installed there, and tests start processes of their own.
    ours = os.pathsep.join(str(CHECKOUT / name) for name in ("", "kernels", "training"))
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "kernels"), "PYTHONPATH": ours}
    environment.pop("PFSM_ALL_TESTS", None)
    left_out = [] if trains else [f"--deselect={test}" for test in NEED_TORCH]
    command = [
        str(folder / "bin" / "python"),
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *left_out,
        *tests,
    ]
    sys.exit(subprocess.run(command, cwd=CHECKOUT, env=environment, check=False).returncode)


def interpreter(version: str) -> Path | None:
    """A Python of this version that runs: on the path, one of pyenv's, or Debian's package, installed now."""
    if not re.fullmatch(r"3\.\d+", version):
        sys.exit(f"try_versions.py: --python is '{version}', a version such as 3.13 is needed")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [*_on_path(version), *sorted(pyenv.glob(f"{version}.*/bin/python{version}"), reverse=True)]
    for candidate in candidates:
        if _runs(candidate, version):
            return candidate
    _install_debian(version)
    return next((one for one in _on_path(version) if _runs(one, version)), None)


def _on_path(version: str) -> list[Path]:
    found = shutil.which(f"python{version}")
    return [Path(found)] if found else []


def _runs(python: Path, version: str) -> bool:
    code = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def _install_debian(version: str) -> None:
    """Takes the package of that version where Debian has one and we may install it; says nothing where not."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        command = ["apt-get", "install", "--yes", "--no-install-recommends", f"python{version}-venv"]
        subprocess.run(command, capture_output=True, check=False)


def install(folder: Path, version: str, resolution: str) -> bool:
    """Installs dependencies for tests into an environment; returns whether PyTorch is among them."""
    torch = re.search(
        r"^torch==\S+$", (CHECKOUT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert torch is not None
    local = "+cpu" if sys.platform == "linux" else ""
    override, versions = folder / "override.txt", folder / "versions.txt"
    override.write_text(torch.group() + local + "\n", encoding="utf-8")
    wanted = ["--python-version", version, "--resolution", resolution, "--extra", "dev", "pyproject.toml"]
    compiled = ["pip", "compile", "--quiet", "--output-file", str(versions), *wanted]
    trains = uv(*compiled, "--extra", "train", "--override", str(override), check=False)
    if not trains:
        uv(*compiled)
    uv(
        "pip",
        "install",
        "--quiet",
        "--python",
        str(folder / "bin" / "python"),
        "--requirement",
        str(versions),
    )
    return trains


def uv(*arguments: str, check: bool = True) -> bool:
    """Runs uv with the places where pip looks for packages; returns whether it succeeded.

    Raises:
        SystemExit: It failed, and ``check`` is true.
    """
    environment = {**os.environ, "UV_NO_PROGRESS": "1", "UV_PYTHON_DOWNLOADS": "never"}
    for ours, its in (("UV_FIND_LINKS", "PIP_FIND_LINKS"), ("UV_EXTRA_INDEX_URL", "PIP_EXTRA_INDEX_URL")):
        if its in environment:
            environment.setdefault(ours, environment[its])
    command = ["uv", *arguments]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode and check:
        sys.exit(f"try_versions.py: {done.stderr.strip()}")
    return done.returncode == 0


if __name__ == "__main__":
    main()

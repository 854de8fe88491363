"""The core works where the folders of our other packages are deleted; what needs one of them is refused in a line."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.judgment_cases import rows, tsv

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("pfsm", "kernels", "training", "tests")
DELETED = ("linguistics", "studio")
TESTS = (
    *(f"tests/core/commands/test_{name}.py" for name in ("score", "train", "evaluate", "compare")),
    "tests/core/model/test_alignments.py",
)
# The editable installation would find the folders of the checkout.
BLOCK = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if not getattr(one, "__module__", "").startswith("__editable__")]
"""
LINES = {"ref.txt": "The old boat sank in June.\nShe has 3 cats.\n", "one.txt": "An old boat sank.\nShe had 3 cats.\n",
         "two.txt": "The boat sank in July.\nShe has 4 cats.\n", "judged.tsv": tsv(rows(24))}  # fmt: skip
MODEL = {
    "format": "pfsm-model-1", "name": "dep", "settings": {"language": "en", "matchers": ["word", "dep"]},
    "weights": {"Insert": -0.5, "Delete": -0.5, "S_word": 1.0, "dep:head": 0.5}, "alpha": 0.0,
    "scale": {"mean": 0, "sd": 1}, "training": {}, "licence": "not stated",
}  # fmt: skip


def copied(source: str, target: str) -> None:
    """Copies a file; of large ones, which are data, a link is enough."""
    if Path(source).stat().st_size > 100_000:
        Path(target).symlink_to(source)
    else:
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout without the folders of our other packages, and data beside it."""
    copy = tmp_path_factory.mktemp("core")
    left_out = shutil.ignore_patterns("__pycache__", *DELETED)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, copy_function=copied, ignore=left_out)
    shutil.copy2(ROOT / "pyproject.toml", copy)
    (copy / "sitecustomize.py").write_text(BLOCK, encoding="utf-8")
    for name, text in LINES.items():
        (copy / name).write_text(text, encoding="utf-8")
    (copy / "dep.json").write_text(json.dumps(MODEL), encoding="utf-8")
    return copy


def run(core: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs Python in the copy."""
    path = os.pathsep.join(str(core / folder) for folder in ("", "kernels", "training"))
    variables = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=core, env=variables, capture_output=True, text=True, check=False)


def test_the_copy_finds_nothing_of_the_checkout(core: Path) -> None:
    code = (
        "import importlib.util as u; print([u.find_spec(one) for one in ('pfsm_linguistics', 'pfsm_studio')])"
    )
    done = run(core, "-c", f"{code}; import pfsm; print(pfsm.__file__)")
    assert done.stdout.splitlines() == ["[None, None]", str(core / "pfsm" / "__init__.py")]


@pytest.mark.parametrize(
    "command",
    [
        "score ref.txt -i one.txt -m en",
        "train judged.tsv -o model.json",
        "evaluate judged.tsv -m en-small --versus metric:chrf",
        "compare ref.txt -i one.txt two.txt -m en-fast",
        "explain ref.txt -i one.txt -m en",
        "data perturb judged.tsv -o pairs.tsv",
    ],
)
def test_commands(core: Path, command: str) -> None:
    done = run(core, "-m", "pfsm", *command.split())
    assert done.returncode == 0, done.stderr


OF_LINGUISTICS = [
    ("parse ref.txt", "unknown: 'parse'"),
    ("score ref.txt -i one.txt --metric hwcm", "unknown metric 'hwcm'"),
    ("score ref.txt -i one.txt -m dep.json", "dep.json: settings: "),
]
OF_THE_STUDIO = [
    ("explain ref.txt -i one.txt --html page.html", "--html needs the studio"),
    ("compare ref.txt -i one.txt two.txt --html page.html", "--html needs the studio"),
    ("train judged.tsv -o model.json --report page.html", "--report needs the studio"),
    ("serve", "unknown: 'serve'"),
]


@pytest.mark.parametrize(
    ("command", "fault"), OF_LINGUISTICS + (OF_THE_STUDIO if (ROOT / "studio").is_dir() else [])
)
def test_refusals(core: Path, command: str, fault: str) -> None:
    done = run(core, "-m", "pfsm", *command.split())
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert fault in done.stderr


def test_tests_of_the_core_pass(core: Path) -> None:
    done = run(core, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS)
    assert done.returncode == 0, done.stdout[-4000:]

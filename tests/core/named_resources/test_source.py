"""What our own source may start: no pickle, no `eval`, programs in one place."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
SOURCES = {
    path: ast.parse(path.read_text(encoding="utf-8"))
    for folder in ("pfsm", "kernels", "training", "linguistics", "studio", "integrations")
    for path in (ROOT / folder).rglob("*.py")
}
# Modules that turn data into objects of any class, or start something.
LISTED = {
    *("pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "runpy", "code"),
    *("subprocess", "pty", "ctypes"),
    *("urllib", "http", "socket", "requests", "ftplib"),
}
ALLOWED = {
    ("linguistics/pfsm_linguistics/analysers/programs.py", "subprocess"),  # `command:`
    ("training/pfsm_training/lattices/store.py", "pickle"),  # what this process itself has put aside, never a file
    ("studio/pfsm_studio/serve/server.py", "socket"),  # `pfsm serve` listens where the user says
}  # fmt: skip


def modules(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (name.name.partition(".")[0] for name in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module.partition(".")[0]


def test_nothing_is_imported_or_called_that_runs_data() -> None:
    assert len(SOURCES) > 200
    imported = set()
    for path, tree in SOURCES.items():
        for node in ast.walk(tree):
            imported |= {
                (path.relative_to(ROOT).as_posix(), name) for name in modules(node) if name in LISTED
            }
            if not isinstance(node, ast.Call):
                continue
            name, call = ast.unparse(node.func), node
            words = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
            assert name not in {"eval", "exec", "compile", "os.system", "os.popen", "yaml.unsafe_load"}, path
            assert not name.startswith(("os.exec", "os.spawn", "os.posix_spawn")), path
            if name == "torch.load":
                assert words.get("weights_only") == "True", path
            if name == "yaml.load":
                assert ast.unparse(call.args[1]) == "_Loader", path
            if name.endswith("np.load"):
                assert words.get("allow_pickle", "False") == "False", path
            assert words.get("shell", "False") == "False", path
    assert imported == ALLOWED

"""Plants faults that once went unnoticed in a copy of the checkout, one at a time, and tells which the tests notice.

    python scripts/planted_faults.py          # make mutants
    python scripts/planted_faults.py METEOR   # those whose description contains a text

A place is found by its text, which occurs in one source file only, so that files may move. The exit status is 1 if a
fault survives.
"""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
SOURCES = ("pfsm", "kernels", "training")


@dataclass(frozen=True)
class Fault:
    """One change of one place.

    Attributes:
        what: What goes wrong.
        before: Text of the source, which occurs once.
        after: What it becomes.
        tests: Where the tests are that notice it, relative to the checkout.
    """

    what: str
    before: str
    after: str
    tests: str


_FOLDS = "tests/training/test_crossval.py"
_SIGNATURES = "tests/metrics/test_signatures.py"
_CHECKPOINT = "tests/training/test_checkpoint.py"

PLANTED = (
    Fault(
        "atomic_write overwrites the target instead of renaming",
        "        temporary.replace(target)\n    _sync_folder",
        "        target.write_bytes(temporary.read_bytes())\n        temporary.unlink()\n    _sync_folder",
        "tests/io/test_atomic_write.py",
    ),
    Fault(
        "preferences that are held out are trained on",
        "np.flatnonzero(self.preference_member != fold)",
        "np.arange(self.preference_member.size)",
        _FOLDS,
    ),
    Fault(
        "preferences are folded by the better translation",
        "        return data.references\n    by_id",
        '        return getattr(data, "better", data.references)\n    by_id',
        _FOLDS,
    ),
    Fault(
        "preferences beside judgments are folded by the better translation",
        "        other_keys = () if other is None else other.references",
        "        other_keys = () if other is None else other.better",
        _FOLDS,
    ),
    Fault(
        "folds ignore segment_id",
        "    if not (ids and all(ids)):\n        return data.references",
        "    if ids or not ids:\n        return data.references",
        _FOLDS,
    ),
    Fault(
        "the mixture shares by rows instead of votes",
        "share = choice.mixture * amount_judged(data) / float(data.votes.sum())",
        "share = choice.mixture * amount_judged(data) / float(data.votes.size)",
        _FOLDS,
    ),
    Fault(
        "the key of a checkpoint lacks the objective",
        "            *(config.objective, config.mixture, ",
        "            *(config.mixture, ",
        _CHECKPOINT,
    ),
    Fault(
        "the key of a checkpoint lacks the rule of lambda",
        ", config.class_transitions, config.lambda_rule),",
        ", config.class_transitions),",
        _CHECKPOINT,
    ),
    Fault(
        "the key of a checkpoint lacks the votes",
        "[part.references, part.better, part.worse], part.votes",
        "[part.references, part.better, part.worse], part.votes[:0]",
        _CHECKPOINT,
    ),
    Fault(
        "the signature lacks HWCM's length",
        '"heads": heads, size: str(most), ',
        '"heads": heads, ',
        _SIGNATURES,
    ),
    Fault("the signature lacks DTKM's decay", '            "decay": repr(decay),\n', "", _SIGNATURES),
    Fault("the signature lacks EDPM's gamma", '            "gamma": repr(gamma),\n', "", _SIGNATURES),
    Fault("EDPM's published gamma is another", "n=50, gamma=0.25),", "n=50, gamma=0.5),", _SIGNATURES),
    Fault(
        "METEOR's exponents above 1 are 1",
        "parameters.gamma * fragmentation**parameters.beta",
        "parameters.gamma * fragmentation**min(1.0, parameters.beta)",
        "tests/metrics/test_meteor_tasks.py",
    ),
    Fault(
        "the n-best list of a line keeps the best of its first sentence",
        "-(pair[0].log_probability + pair[1].log_probability)",
        "-pair[0].log_probability",
        "tests/analysis/test_parser.py",
    ),
    Fault(
        "permutations that are not a number count as small",
        "short = int(np.count_nonzero(np.abs(permuted) < abs(difference) - 1e-12))",
        "short = int(np.count_nonzero(~(np.abs(permuted) >= abs(difference) - 1e-12)))",
        "tests/evaluation/test_significance.py",
    ),
    Fault(
        "a MemoryError exits with 1",
        'print("pfsm: not enough memory; give less at once", file=sys.stderr)\n        return 2',
        'print("pfsm: not enough memory; give less at once", file=sys.stderr)\n        return 1',
        "tests/commands/test_cli.py::test_without_memory_it_says_so_and_exits_with_2",
    ),
    Fault(
        "TERp's farthest shift of a word is one less",
        "range(max(0, i - FARTHEST_SHIFT), min(kinds.shape[0], i + FARTHEST_SHIFT + 1))",
        "range(max(0, i - FARTHEST_SHIFT), min(kinds.shape[0], i + FARTHEST_SHIFT))",
        "tests/metrics/test_terp.py",
    ),
    Fault(
        "TERp's farthest shift of a phrase is one less",
        "abs(i - phrase[REF]) > FARTHEST_SHIFT",
        "abs(i - phrase[REF]) >= FARTHEST_SHIFT",
        "tests/metrics/test_terp.py",
    ),
    Fault(
        "the pushdown tilt forgets long arcs at rates below one",
        "match = B * max(1.0 / (rho * rho), rho ** -float(longest))",
        "match = B / (rho * rho)",
        "tests/kernels/test_tilt.py",
    ),
    Fault(
        "gzip may grow as it likes",
        "grown = max(_ALWAYS_UNPACKED, _MOST_GROWTH * packed)",
        "grown = most",
        "tests/io/test_limits.py",
    ),
    Fault(
        "the limit of a head is that of every file",
        "remember_content(label, read_bytes(path, HEAD)",
        "remember_content(label, read_bytes(path)",
        "tests/encoder/test_heads.py",
    ),
    Fault(
        "xz is read as text",
        "if content.startswith(magic) and (magic",
        "if False and (magic",
        "tests/io/test_limits.py",
    ),
    Fault(
        "indices may be one too large",
        "int(values.min()) <= int(values.max()) < n_values",
        "int(values.min()) <= int(values.max()) <= n_values",
        "tests/fuzz/test_arrays.py",
    ),
    Fault(
        "indices may be negative",
        "not values.size or 0 <= int(values.min())",
        "not values.size or int(values.min())",
        "tests/fuzz/test_arrays.py",
    ),
    Fault(
        "offsets may fall",
        "and bool((offsets[1:] >= offsets[:-1]).all())",
        "and bool((np.diff(offsets) >= 0).all())",
        "tests/io/test_hostile_numbers.py::test_offsets_do_not_wrap",
    ),
    Fault(
        "numbers that are none are bounded",
        "return not values.size or (-largest <= float(values.min()) and",
        "return not values.size or not (-largest > float(values.min())) and (",
        "tests/fuzz/test_arrays.py",
    ),
    Fault(
        "a scale of any shape is multiplied",
        "                or scale.shape != (rows,)\n",
        "",
        "tests/fuzz/test_arrays.py",
    ),
    Fault(
        "scales are of any size",
        "                or not are_bounded(scale)\n",
        "",
        "tests/fuzz/test_arrays.py",
    ),
    Fault(
        "tensors hold infinite numbers",
        "if not are_bounded(values, _LARGEST):",
        "if False:",
        "tests/fuzz/test_arrays.py",
    ),
    Fault(
        "a table of synonyms claims any size",
        "if size > synsets.size or not are_lists",
        "if not are_lists",
        "tests/fuzz/test_arrays.py",
    ),
    Fault(
        "an array of a container is named twice",
        "if str(name) in arrays or any(",
        "if any(",
        "tests/fuzz/test_arrays.py",
    ),
    Fault(
        "a pipe with the name of a leftover stops a writer",
        "        if not stat.S_ISREG(path.lstat().st_mode):\n            return\n",
        "",
        "tests/io/test_atomic_write.py",
    ),
    Fault(
        "small requests have no turn of their own",
        "small, first = sum(costs) <= SMALL_COST, 0",
        "small, first = False, 0",
        "tests/serve/test_batching.py",
    ),
    Fault(
        "portions have any cost",
        "and spent + costs[stop] <= budget",
        "",
        "tests/serve/test_batching.py",
    ),
    Fault(
        "an answer is waited for for ever",
        "async with asyncio.timeout_at(deadline):",
        "async with asyncio.timeout_at(None):",
        "tests/serve/test_batching.py",
    ),
    Fault(
        "JSON lines are text",
        "    if is_json(lines, str(path)):",
        "    if False:",
        "tests/io/test_hostile_numbers.py",
    ),
    Fault(
        "SGML is text",
        "    if is_markup(lines):\n        if str",
        "    if False:\n        if str",
        "tests/io/test_hostile_numbers.py",
    ),
    Fault(
        "a blank reference is one beside others",
        "return tuple(filter(str.strip, references)) or (references[0],)",
        "return tuple(references)",
        "tests/io/test_hostile_numbers.py",
    ),
    Fault(
        "intervals of a record are anything",
        'if key.endswith("interval") and not _is_interval(found):',
        "if False:",
        "tests/io/test_hostile_numbers.py",
    ),
)


def place(fault: Fault, checkout: Path = CHECKOUT) -> Path:
    """The source file with the text of a fault.

    Raises:
        LookupError: The text does not occur exactly once.
    """
    files = [path for folder in SOURCES for path in (checkout / folder).rglob("*.py")]
    counts = {path: path.read_text(encoding="utf-8").count(fault.before) for path in files}
    found = [path for path, count in counts.items() if count]
    if len(found) != 1 or counts[found[0]] != 1:
        raise LookupError(f"{fault.what}: its text occurs {sum(counts.values())} times")
    return found[0]


def is_noticed(fault: Fault, checkout: Path) -> bool:
    """Whether the tests fail with the fault; the file is restored."""
    path = place(fault, checkout)
    source = path.read_text(encoding="utf-8")
    path.write_text(source.replace(fault.before, fault.after), encoding="utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-q", "-x", fault.tests]
        return bool(subprocess.run(command, cwd=checkout, capture_output=True, check=False).returncode)
    finally:
        path.write_text(source, encoding="utf-8")


def main() -> int:
    """Plants, tests, tells."""
    wanted = [fault for fault in PLANTED if not sys.argv[1:] or sys.argv[1] in fault.what]
    with tempfile.TemporaryDirectory(prefix="pfsm-faults-") as folder:
        copy = Path(folder) / "checkout"
        subprocess.run(["git", "clone", "-q", str(CHECKOUT), str(copy)], check=True)
        survivors = 0
        for fault in wanted:
            noticed = is_noticed(fault, copy)
            survivors += not noticed
            print(f"{'noticed ' if noticed else 'SURVIVED'} {fault.what}", flush=True)
    print(f"{len(wanted) - survivors} of {len(wanted)} faults noticed")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())

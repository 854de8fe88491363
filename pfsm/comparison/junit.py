"""The gate of a comparison as JUnit's XML, which services of continuous integration read."""

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from pfsm.comparison.compared import Compared
from pfsm.io.files import StrPath, atomic_write

# XML 1.0 cannot hold these, escaped or not.
_NEVER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Worse = Mapping[tuple[str, str], str]


def worse_systems(compared: Compared, margin: float | None = None) -> dict[tuple[str, str], str]:
    """By metric and system, a sentence on each system that is worse than the first one.

    Args:
        compared: The comparison.
        margin: Also those worse by more than so many points, significantly or not.
    """
    first, found = compared.systems[0], {}
    for result in compared.results:
        sign = -1.0 if result.comparison.lower_is_better else 1.0
        for pair in result.comparison.pairs:
            loss = sign * pair.difference
            if pair.system_a == first and (pair.preferred == first or (margin is not None and loss > margin)):
                name = result.metric.name
                found[name, pair.system_b] = f"{pair.system_b} is worse than {first} by {loss:.4f} ({name})"
    return found


def write_junit(compared: Compared, worse: Worse, path: StrPath) -> None:
    """Writes a suite for each metric with a test for each system but the first, which fails if that is worse.

    Raises:
        PfsmError: If the file cannot be written.
    """
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    tests = len(compared.results) * (len(compared.systems) - 1)
    lines.append(f'<testsuites name="pfsm compare" tests="{tests}" failures="{len(worse)}">')
    for result in compared.results:
        name, pairs = result.metric.name, result.comparison.pairs[: len(compared.systems) - 1]
        failures = sum((name, pair.system_b) in worse for pair in pairs)
        lines.append(f'  <testsuite name={_quoted(name)} tests="{len(pairs)}" failures="{failures}">')
        for pair in pairs:
            test = f"{pair.system_b} is not worse than {pair.system_a}"
            lines.append(f"    <testcase classname={_quoted(name)} name={_quoted(test)}>")
            if (name, pair.system_b) in worse:
                lines.append(f"      <failure message={_quoted(worse[name, pair.system_b])}/>")
            lines.append("    </testcase>")
        lines.append(f"    <system-out>{escape(_clean(compared.verdict))}</system-out>")
        lines.append("  </testsuite>")
    with atomic_write(path) as handle:
        handle.write("\n".join([*lines, "</testsuites>", ""]))


def _clean(value: str) -> str:
    return _NEVER.sub("\ufffd", value)


def _quoted(value: str) -> str:
    return quoteattr(_clean(value))

"""What a command left behind, and the types of the fixtures that run commands."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """Exit status and everything printed."""

    status: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Standard error but for warnings of empty lines, which many cases hold on purpose."""
        return re.sub(r"(?m)^pfsm: warning: .* of \d+ lines \(line [\d, …]+\) empty\n", "", self.err)

    @property
    def lines(self) -> list[str]:
        """Standard output by lines, of a command that succeeded in silence."""
        assert (self.status, self.said) == (0, ""), self
        return self.out.splitlines()

    @property
    def signed_lines(self) -> list[str]:
        """Standard output by lines, of a command that says no more on standard error than what scored."""
        assert self.status == 0, self
        assert self.err.startswith("pfsm: scored by "), self
        assert self.err.count("\n") == 1, self
        return self.out.splitlines()

    @property
    def document(self) -> Any:
        """Standard output as JSON, of a command that succeeded in silence."""
        assert (self.status, self.said) == (0, ""), self
        return json.loads(self.out)

    @property
    def fault(self) -> str:
        """The one line of a command that refused its input."""
        assert (self.status, self.out) == (2, ""), self
        assert self.err.startswith("pfsm: "), self.err
        assert self.err.endswith("\n"), self.err
        assert self.err.count("\n") == 1, self.err
        return self.err[len("pfsm: ") : -1]


Cli = Callable[..., Outcome]
Write = Callable[[str, str | bytes], str]


def text(lines: Iterable[str]) -> str:
    """The content of a file with these lines."""
    return "".join(f"{line}\n" for line in lines)

"""The rules of the restricted pushdown machine, one configuration at a time.

A configuration says all the machine knows: how much of both sides lies behind it, the mode it is in, and what
it remembers of a jump. ``after_edit`` and ``after_jump`` say where an operation leads from there and which
operations there are; the numbers 1 to 5 are those of the rules in the definition of the machine.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto

REFERENCE, HYPOTHESIS = 0, 1


class Mode(Enum):
    """What the machine is doing; only in normal mode it may stop."""

    NORMAL = auto()
    LANDED = auto()  # behind the landing position, no substitution yet
    MOVED = auto()  # behind the landing position, after the first substitution
    BACK = auto()  # in the gap, no substitution yet
    GAP = auto()  # in the gap, after the first substitution


@dataclass(frozen=True)
class Memory:
    """What is remembered of a jump: positions on the side that was jumped on."""

    side: int
    start: int
    landing: int
    end: int | None = None


@dataclass(frozen=True)
class Configuration:
    """Where the machine stands: ``i`` on the reference, ``j`` on the hypothesis; the rest needs jumps."""

    i: int = 0
    j: int = 0
    mode: Mode = Mode.NORMAL
    memory: Memory | None = None

    @property
    def is_final(self) -> bool:
        """Whether the machine may stop here, provided that both sides are used up."""
        return self.mode is Mode.NORMAL

    def at(self, side: int) -> int:
        """The position on one side."""
        return self.i if side == REFERENCE else self.j

    def moved_to(self, side: int, position: int) -> "Configuration":
        """The same with another position on one side."""
        return replace(self, i=position) if side == REFERENCE else replace(self, j=position)


def after_edit(
    here: Configuration, p: int, q: int, is_substitution: bool, max_jump: int
) -> Configuration | None:
    """Where an edit of p reference and q hypothesis tokens leads; None where the mode forbids it."""
    there = replace(here, i=here.i + p, j=here.j + q)
    if here.memory is None:
        return replace(there, mode=Mode.NORMAL)
    side, landing = here.memory.side, here.memory.landing
    if here.mode in {Mode.LANDED, Mode.MOVED}:
        # 2. The first operation is a substitution; no operation ends more than max_jump behind landing.
        if here.mode is Mode.LANDED and not is_substitution:
            return None
        if there.at(side) > landing + max_jump:
            return None
        return replace(there, mode=Mode.MOVED)
    # 5. At landing there is nothing but the jump.
    if here.at(side) == landing:
        return None
    # 4. Nothing passes landing, and the edit that consumes only the side of the gap is not the first there.
    if there.at(side) > landing:
        return None
    if is_substitution:
        return replace(there, mode=Mode.GAP)
    consumed_in_gap = (p, q)[side]
    if here.mode is Mode.BACK and consumed_in_gap:
        return None
    return there


def after_jump(here: Configuration, m: int, n: int, max_jump: int) -> Iterator[Configuration]:
    """Where each jump leads that the machine may make in a configuration of a pair of m and n tokens."""
    memory = here.memory
    if here.mode is Mode.NORMAL:
        # 1. Forward on either side, not beyond its last token.
        for side, length in ((REFERENCE, m), (HYPOTHESIS, n)):
            start = here.at(side)
            for distance in range(1, max_jump + 1):
                landing = start + distance
                if landing < length:
                    landed = Configuration(here.i, here.j, Mode.LANDED, Memory(side, start, landing))
                    yield landed.moved_to(side, landing)
    if memory is not None and here.mode is Mode.MOVED:
        # 3. Back, and remember how far the landed block went.
        back = replace(here, mode=Mode.BACK, memory=replace(memory, end=here.at(memory.side)))
        yield back.moved_to(memory.side, memory.start)
    if memory is not None and here.mode in {Mode.BACK, Mode.GAP} and here.at(memory.side) == memory.landing:
        # 5. Resume behind the landed block; everything is forgotten.
        assert memory.end is not None
        yield Configuration(here.i, here.j).moved_to(memory.side, memory.end)

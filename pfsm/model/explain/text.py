"""An explanation as lines for the terminal."""

from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest

from pfsm.lattice.names import DELETE, INSERT, JUMP, SUBSTITUTION, base_state
from pfsm.model.explain.explanation import Contribution, Edit, EncoderPoints, Explanation, TextError
from pfsm.model.labels import plain_label, short_label
from pfsm.runtime.terminal import BAD, DOUBTFUL, painted

# Edits less likely than this are summed up in one line.
SMALLEST_POSTERIOR = 0.01
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
EMPTY = "(empty)"
# Words that are too many, and words that are missing; what matches has none.
_STYLES = {INSERT: BAD, DELETE: DOUBTFUL}


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """The two sentences with the same numbers on aligned words, the edit sequence, and the parts of the score."""
    marks = _marks(explanation)
    yield f"score       {explanation.score:.4f}"
    yield from _lost_lines(explanation)
    yield f"reference   {_marked(explanation.reference, marks[0])}"
    yield f"hypothesis  {_marked(explanation.hypothesis, marks[1])}"
    if explanation.edited:
        yield f"edits       {', '.join(_stretches(explanation)) or EMPTY}"
        yield ""
        yield f"{'points':>9}  {'posterior':>9}  edit"
        yield f"{explanation.base:>+9.4f}  {'':>9}  before any edit"
        yield f"{explanation.entropy:>+9.4f}  {'':>9}  entropy: there are many ways to edit"
        yield from _contribution_lines(explanation)
        if explanation.features:
            yield ""
    else:
        yield "edits       none in this model"
        yield ""
        yield f"{explanation.base:>+9.4f}  {'':>9}  before any feature"
    yield from _feature_lines(explanation)
    if explanation.encoder is not None:
        yield ""
        yield from _encoder_lines(explanation.encoder)


def _lost_lines(explanation: Explanation) -> Iterator[str]:
    """Where the loss is in the text, most points first."""
    if explanation.perfect is None:
        return
    lost = f"lost        {explanation.perfect - explanation.score:.4f} of {explanation.perfect:.4f} for a perfect match"
    yield f"{lost}; errors mended one at a time: {sum(explanation.undo):+.4f}" if explanation.undo else lost
    for one, gain in zip_longest(explanation.errors, explanation.undo):
        style = DOUBTFUL if one.severity == "minor" else BAD
        alone = "" if gain is None else f"  (mended alone {gain:+.4f})"
        yield painted(f"{one.points:>+9.4f}  {one.severity}  {correction(one)}{alone}", style)


def correction(error: TextError) -> str:
    """What would mend an error, such as ``restlich → rest of it``."""
    return f"{error.text or '(missing)'} → {error.correction or '(nothing)'}"


def pharaoh(explanation: Explanation) -> str:
    """The alignment of the best edit sequence, ``i-j`` with i in the reference and j in the hypothesis."""
    return " ".join(f"{i}-{j}" for i, j in explanation.alignment)


def _feature_lines(explanation: Explanation) -> Iterator[str]:
    if explanation.features:
        yield f"{'points':>9}  {'value':>9}  feature, in standard deviations from the mean of the training data"
    for part in explanation.features:
        yield f"{part.points:>+9.4f}  {part.value:>+9.3f}  {short_label(part.name)}"


def _encoder_lines(encoder: EncoderPoints) -> Iterator[str]:
    """What the encoder's points consist of, and the pieces it aligns."""
    yield f"{'points':>9}  {'value':>9}  part of encoder"
    yield f"{encoder.constant:>+9.4f}  {'':>9}  every pair"
    for name, number, points in encoder.parts:
        yield f"{points:>+9.4f}  {number:>+9.3f}  {name}"
    if encoder.matches:
        yield ""
        yield f"{'points':>9}  {'posterior':>9}  {'cosine':>6}  aligned word pieces, part of alignment"
    for match in encoder.matches:
        pieces = (
            match.reference
            if match.reference == match.hypothesis
            else f"{match.reference} = {match.hypothesis}"
        )
        yield f"{match.points:>+9.4f}  {match.posterior:>9.3f}  {match.cosine:>6.3f}  {pieces}"


def _contribution_lines(explanation: Explanation) -> Iterator[str]:
    labels = {part.state: short_label(part.state) for part in explanation.contributions}
    width = max(map(len, labels.values()), default=0)
    said: dict[tuple[object, ...], list[str]] = {}
    for one in explanation.agreements:
        place = (one.state, one.reference, one.hypothesis)
        said.setdefault(place, []).append(f"{plain_label(one.feature)} {one.points:+.4f}")
    rest = 0.0
    for part in sorted(explanation.contributions, key=_place):
        if part.posterior < SMALLEST_POSTERIOR:
            rest += part.points
        else:
            agreement = ", ".join(said.get((part.state, part.reference, part.hypothesis), ()))
            words = words_of(explanation, part) + (f"  ({agreement})" if agreement else "")
            line = f"{part.points:>+9.4f}  {part.posterior:>9.3f}  {labels[part.state]:<{width}}  {words}".rstrip()
            yield painted(line, _STYLES.get(base_state(part.state), DOUBTFUL if part.state == JUMP else ""))
    if rest:
        yield f"{rest:>+9.4f}  {'':>9}  all less likely edits"


def _marks(explanation: Explanation) -> tuple[dict[int, int], dict[int, int]]:
    """A number for every substitution, by token: in the order of the reference, as in the paper's examples."""
    blocks = [edit for edit in explanation.edits if base_state(edit.state) not in {INSERT, DELETE, JUMP}]
    reference: dict[int, int] = {}
    hypothesis: dict[int, int] = {}
    for number, edit in enumerate(sorted(blocks, key=lambda edit: edit.reference), start=1):
        reference |= dict.fromkeys(range(*edit.reference), number)
        hypothesis |= dict.fromkeys(range(*edit.hypothesis), number)
    return reference, hypothesis


def _marked(tokens: Sequence[str], marks: dict[int, int]) -> str:
    shown = [
        f"{token}{str(marks[at]).translate(_SUBSCRIPTS) if at in marks else ''}"
        for at, token in enumerate(tokens)
    ]
    return " ".join(shown) or EMPTY


def _stretches(explanation: Explanation) -> Iterator[str]:
    """The best sequence: runs of edits of one kind, each with its words."""
    for (state, jump), edits in groupby(explanation.edits, lambda edit: (base_state(edit.state), edit.jump)):
        if jump:
            yield painted(f"{short_label(state)} {jump}", DOUBTFUL)
            continue
        words = [words_of(explanation, edit) for edit in edits]
        plural = "s" if len(words) > 1 and state in {INSERT, DELETE, f"{SUBSTITUTION}word"} else ""
        yield painted(f"{' '.join(words)} ({short_label(state)}{plural})", _STYLES.get(state, ""))


def words_of(explanation: Explanation, part: Contribution | Edit) -> str:
    """The words of an edit; of both sides where they differ."""
    left = " ".join(explanation.reference[slice(*part.reference)])
    right = " ".join(explanation.hypothesis[slice(*part.hypothesis)])
    return f"{left} = {right}" if left and right and left != right else left or right


def _place(part: Contribution) -> tuple[int, int, int]:
    """In the order of the reference, then what is only in the hypothesis, then jumps."""
    if part.state == JUMP:
        return 2, 0, 0
    if part.reference[0] == part.reference[1]:
        return 1, part.hypothesis[0], 0
    return 0, part.reference[0], part.hypothesis[0]

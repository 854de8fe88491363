"""The encoder's part of a model in an explanation, in points."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pfsm.encoder.explaining import ValueParts, value_parts
from pfsm.encoder.feature import PieceReader
from pfsm.encoder.heads import is_encoder_feature, parse_feature
from pfsm.lattice.names import sentence_feature
from pfsm.model.explain.explanation import EncoderPoints, Explanation, PieceMatch
from pfsm.model.file import Model

# Matches that are less likely are not listed.
LIKELY = 0.5


class PieceExplainer:
    """Adds the encoder's part to explanations of a model that has one.

    Args:
        model: The model.

    Raises:
        PfsmError: If the encoder or what was learned over it is not there.
    """

    def __init__(self, model: Model) -> None:
        name = next(filter(is_encoder_feature, model.settings.features), None)
        self._reader = None if name is None else PieceReader(*parse_feature(name))
        if name is not None:
            self._mean, sd = model.settings.features[name] or (0.0, 1.0)
            self._points = model.scale.sd * model.weights.get(sentence_feature(name), 0.0) / sd

    def added(
        self, explanations: Iterable[Explanation], references: Sequence[str], hypotheses: Sequence[str]
    ) -> Iterator[Explanation]:
        """The explanations of pairs, with `Explanation.encoder`."""
        if self._reader is None:
            yield from explanations
            return
        parts = value_parts(self._reader, references, hypotheses, LIKELY)
        for explanation, own in zip(explanations, parts, strict=True):
            yield replace(explanation, encoder=self._in_points(own))

    def _in_points(self, own: ValueParts) -> EncoderPoints:
        return EncoderPoints(
            self._points * (own.constant - self._mean),
            tuple((name, number, self._points * value) for name, number, value in own.parts),
            tuple(
                PieceMatch(
                    own.reference[match.reference],
                    own.hypothesis[match.hypothesis],
                    match.cosine,
                    match.posterior,
                    self._points * match.value,
                )
                for match in own.matches
            ),
        )

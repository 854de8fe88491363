"""``--language``: the model and the options for it; text that a model cannot take apart."""

import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable
from itertools import tee

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.metrics import SegmentMetric
from pfsm.metrics.names import language_options, needs_spaces
from pfsm.model.metric import Metric
from pfsm.model.shipped import ANY_MODEL, DEFAULT_MODEL, model_for
from pfsm.text.language_names import ANY, doubt_of_english, english_name, main_code
from pfsm.text.languages import language_code
from pfsm.text.scripts import REFUSED, lines_without_spaces
from pfsm.text.scripts import needs_spaces as tokeniser_needs_spaces


def add_language(parser: ArgumentParser, what: str = "the translations") -> None:
    """``--language LANG`` and ``--force``."""
    parser.add_argument(
        "--language",
        type=_language,
        metavar="LANG",
        help=f"of {what}, such as German, de, zh-Hans: chooses model and tokenisers",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="score text that the model cannot split into words",
    )


def _language(text: str) -> str:
    try:
        return language_code(text)
    except PfsmError as error:
        raise ArgumentTypeError(str(error)) from None


def model_name(options: Namespace, given: str | None = None) -> str:
    """The model that is named, or the one for ``--language``, or the default; says which one a language means.

    Args:
        options: With `add_language`'s options; a command without them has the default.
        given: What ``--model`` names.
    """
    language: str | None = getattr(options, "language", None)
    if given is not None or language is None:
        return DEFAULT_MODEL if given is None else given
    name = model_for(language)
    if not getattr(options, "quiet", False):
        kind = "the model for any language" if name == ANY_MODEL else "its model"
        print(f"pfsm: {english_name(language)}: {kind}, {name}", file=sys.stderr)
    return name


def metric_options(name: str, options: Namespace) -> dict[str, object]:
    """Options of a metric for ``--language``; none without it."""
    language: str | None = getattr(options, "language", None)
    return {} if language is None else language_options(name, language)


def _doubt(metric: SegmentMetric, lines: Iterable[str], language: str | None) -> str:
    """What speaks against a model: another language was named, or none, and the text is not its English."""
    if not isinstance(metric, Metric):
        return ""
    if language is None:
        doubt = doubt_of_english(metric.name, metric.language, lines)
        return f"{doubt}; --language NAME chooses a model" if doubt else ""
    own = main_code(metric.language)
    about = f"model {metric.name} is for {english_name(own)}"
    return "" if own in {ANY, main_code(language)} else f"{about}, the language is {english_name(language)}"


def check_text(metric: SegmentMetric, lines: Iterable[str], options: Namespace) -> None:
    """Refuses text that a model or metric cannot take apart into words, unless ``--force`` is given.

    Warns of a model for another language than that of ``--language``; without it, of a model for English where the text
    does not look English.
    """
    lines, looked_at = tee(lines)
    doubt = _doubt(metric, looked_at, getattr(options, "language", None))
    del looked_at
    if isinstance(metric, Metric):
        metric.language_looked_at = True
        what, blind = f"model {metric.name}", metric.needs_spaces
        other = f"--language NAME chooses a model (`{ANY_MODEL}` is for any language)"
    else:
        what, blind = f"metric {metric.name}", needs_spaces(metric.origin or metric.name)
        other = "--language NAME chooses a tokeniser"
    if blind and not getattr(options, "force", False):
        refuse_text(what, lines, other)
    if doubt:
        warnings.warn(doubt, PfsmWarning, stacklevel=2)


def refuse_text(what: str, lines: Iterable[str], other: str) -> None:
    """Refuses text of which a quarter of the lines or more are in a script without spaces between words.

    Args:
        what: What would read it.
        lines: The text.
        other: What to do instead.
    """
    found, seen = lines_without_spaces(lines)
    if seen and found >= REFUSED * seen:
        raise PfsmError(
            f"{what} finds words between spaces, but {found} of {seen} lines are in a script without them; {other}, "
            "--force goes on"
        )


def check_tokeniser_for(what: str, tokeniser: str, lines: Iterable[str], options: Namespace) -> None:
    """As `check_text`, for text to train on."""
    if tokeniser_needs_spaces(tokeniser) and not options.force:
        refuse_text(what, lines, "--language NAME chooses a tokeniser")

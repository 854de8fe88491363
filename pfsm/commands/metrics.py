"""``pfsm metrics``: metrics that are not models, and the features that models may weigh."""

import json
from argparse import ArgumentParser, Namespace

from pfsm.commands.arguments import add_format
from pfsm.errors import PfsmError
from pfsm.metrics.registry import describe_feature, feature_names, metric_names


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--features",
        action="store_true",
        help="sentence-level features, metrics and their parts, instead; column:NAME, a column of the data, is another",
    )
    add_format(parser, "text", "json")


def run(options: Namespace) -> None:
    """Lists them."""
    names = feature_names() if options.features else metric_names()
    about = {name: _described(name) for name in names}
    if options.format == "json":
        print(json.dumps(about, indent=1, ensure_ascii=False))
        return
    width = max(map(len, about))
    for name, text in about.items():
        print(f"{name:<{width}}  {text}".rstrip())
    if not options.features:
        print(
            "[options: NAME(KEY=VALUE,…); with lexical overlap, for metrics that come with pfsm: NAME_i, NAME_b]"
        )


def _described(name: str) -> str:
    """Half a line; of a plug-in that cannot be used, why."""
    try:
        return describe_feature(name)
    except PfsmError as error:
        return f"broken: {error}"

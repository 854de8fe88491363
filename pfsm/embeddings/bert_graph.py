"""An encoder of BERT's family (Devlin et al., 2019) as an ONNX graph that returns its hidden states.

Lines of equal length are encoded together, so there is neither padding nor a mask:

    x = norm(words[ids] + positions[0 : n])
    x = norm(x + output(softmax(q k') v))                 q, k, v = linear(x), by heads
    x = norm(x + second(activation(first(x))))            both lines once for every layer

MPNet (Song et al., 2020) adds a number for each distance to ``q k'``.
"""

import numpy as np

from pfsm.embeddings.bert_weights import ACTIVATIONS, Layer, Linear, Norm, Shape, Weights
from pfsm.embeddings.onnx_model import Graph, Model

INPUT = "input_ids"


def state_name(layer: int) -> str:
    """The output with the hidden states of a layer; 0 is the embeddings after their norm."""
    return f"state_{layer}"


def encoder_graph(weights: Weights, shape: Shape) -> Model:
    """The ONNX model, from ``input_ids`` int64 [b, n] to float32 [b, n, d] for each layer that ``weights`` has.

    Args:
        weights: The embeddings and the layers up to the last that is needed.
        shape: The shape of the network.
    """
    graph = Graph()
    words = graph.node("Gather", graph.weight(weights.words), INPUT)
    length = graph.node("Shape", INPUT, start=1, end=2)
    positions = graph.node(
        "Slice", graph.weight(weights.positions), graph.numbers(0), length, graph.numbers(0)
    )
    x = _norm(graph, graph.node("Add", words, positions), weights.norm, shape.epsilon, state_name(0))
    distances = _distances(graph, weights, length)
    for place, layer in enumerate(weights.layers, start=1):
        x = _layer(graph, x, layer, shape, distances, state_name(place))
    size = ("b", "n", weights.words.shape[1])
    outputs = {state_name(layer): size for layer in range(len(weights.layers) + 1)}
    return graph.model({INPUT: ("b", "n")}, outputs)


def _linear(graph: Graph, x: str, linear: Linear) -> str:
    return graph.node("Add", graph.node("MatMul", x, graph.weight(linear.weight)), graph.weight(linear.bias))


def _norm(graph: Graph, x: str, norm: Norm, epsilon: float, output: str = "") -> str:
    scale, shift = graph.weight(norm.scale), graph.weight(norm.shift)
    return graph.node("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon, output=output)


def _distances(graph: Graph, weights: Weights, length: str) -> str:
    """What is added to the scores of attention, [heads, n, n]; empty: nothing."""
    if weights.distances is None or not weights.layers:
        return ""
    places = graph.node(
        "Range", *(graph.constant(np.array(0)), graph.node("Squeeze", length), graph.constant(np.array(1)))
    )
    keys, queries = (graph.node("Unsqueeze", places, graph.numbers(axis)) for axis in (0, 1))
    distances = graph.node("Sub", keys, queries)
    first = graph.numbers(weights.distances.shape[1] // 2)
    return graph.node("Gather", graph.weight(weights.distances), graph.node("Add", distances, first), axis=1)


def _layer(graph: Graph, x: str, layer: Layer, shape: Shape, distances: str, output: str) -> str:
    attended = _linear(graph, _attention(graph, x, layer, shape, distances), layer.output)
    x = _norm(graph, graph.node("Add", attended, x), layer.output_norm, shape.epsilon)
    inner = _linear(graph, x, layer.first)
    approximate = ACTIVATIONS[shape.activation]
    inner = graph.node("Gelu", inner, approximate=approximate) if approximate else graph.node("Relu", inner)
    x = graph.node("Add", _linear(graph, inner, layer.second), x)
    return _norm(graph, x, layer.norm, shape.epsilon, output)


def _attention(graph: Graph, x: str, layer: Layer, shape: Shape, distances: str) -> str:
    """``softmax(q k') v`` of every head; the results of the heads are concatenated."""
    d = layer.output.bias.size
    parts = graph.nodes("Split", _linear(graph, x, layer.query_key_value), outputs=3, axis=-1, num_outputs=3)
    by_heads = graph.numbers(0, 0, shape.heads, d // shape.heads)
    # [b, n, d] -> [b, heads, n, d / heads]; keys the other way round
    orders = ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
    query, key, value = (
        graph.node("Transpose", graph.node("Reshape", part, by_heads), perm=order)
        for part, order in zip(parts, orders, strict=True)
    )
    scores = graph.node("MatMul", query, key)
    scores = graph.node("Add", scores, distances) if distances else scores
    shares = graph.node("Softmax", scores, axis=-1)
    mixed = graph.node("Transpose", graph.node("MatMul", shares, value), perm=[0, 2, 1, 3])
    return graph.node("Reshape", mixed, graph.numbers(0, 0, d))

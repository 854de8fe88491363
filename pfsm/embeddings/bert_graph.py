"""An encoder of BERT's family (Devlin et al., 2019) as an ONNX graph that returns its hidden states.

Lines of equal length are encoded together, so there is neither padding nor a mask:

    x = norm(words[ids] + positions[0 : n])
    x = norm(x + output(softmax(q k') v))                 q, k, v = linear(x), by heads
    x = norm(x + second(activation(first(x))))            both lines once for every layer

MPNet (Song et al., 2020) adds a number for each distance to ``q k'``.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.bert_weights import ACTIVATIONS, Layer, Linear, Norm, Shape, Weights
from pfsm.embeddings.safetensors import BLOCK, BlockRows

OPSET = 20
# ONNX Runtime's own operators.
OWN = "com.microsoft"
# The oldest IR version with this operator set.
IR_VERSION = 9
_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7, "bool": 9}
# Kinds of attributes: AttributeProto.AttributeType.
_FLOAT, _INT, _STRING, _INTS = 1, 2, 3, 7
_EXTERNAL = 1

Attribute = int | float | str | Sequence[int]
Dimensions = Sequence[int | str]


@dataclass(frozen=True, eq=False)
class Model:
    """A model for ONNX Runtime.

    Attributes:
        content: The graph as ONNX's protocol buffer.
        tensors: The weights that it declares, by name.
    """

    content: bytes
    tensors: Mapping[str, NDArray[Any]]


class Graph:
    """Nodes and constants with generated names. The same calls make the same bytes."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._tensors: dict[str, NDArray[Any]] = {}

    def node(
        self, operator: str, *inputs: str, output: str = "", domain: str = "", **attributes: Attribute
    ) -> str:
        """Adds a node with one output; returns the output's name."""
        outputs = [output or f"{operator}_{len(self._nodes)}"]
        return self.nodes(operator, *inputs, outputs=outputs, domain=domain, **attributes)[0]

    def nodes(
        self,
        operator: str,
        *inputs: str,
        outputs: Sequence[str] | int,
        domain: str = "",
        **attributes: Attribute,
    ) -> list[str]:
        """Adds a node with several outputs, given by name or number; returns their names."""
        if isinstance(outputs, int):
            outputs = [f"{operator}_{len(self._nodes)}_{place}" for place in range(outputs)]
        content = b"".join(_text(1, name) for name in inputs) + b"".join(_text(2, name) for name in outputs)
        content += _text(4, operator) + _text(7, domain)
        content += b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())
        self._nodes.append(content)
        return list(outputs)

    def weight(self, values: NDArray[Any]) -> str:
        """A constant that stays outside the file."""
        values = np.ascontiguousarray(values)
        name = f"weight_{len(self._tensors)}"
        self._tensors[name] = values
        place = {"location": "memory", "offset": "0", "length": str(values.nbytes)}
        entries = (_text(1, key) + _text(2, value) for key, value in place.items())
        content = _tensor(name, values) + b"".join(_bytes(13, entry) for entry in entries)
        self._constants.append(content + _integer(14, _EXTERNAL))
        return name

    def constant(self, values: NDArray[Any]) -> str:
        """A small constant inside the file."""
        name = f"constant_{len(self._constants)}"
        values = np.asarray(values)
        little = values.astype(values.dtype.newbyteorder("<"))
        self._constants.append(_tensor(name, values) + _bytes(9, little.tobytes()))
        return name

    def numbers(self, *values: int) -> str:
        """A constant int64 [n]."""
        return self.constant(np.array(values, dtype=np.int64))

    def model(self, inputs: Mapping[str, Dimensions], outputs: Mapping[str, Dimensions]) -> Model:
        """The finished model.

        Args:
            inputs: Dimensions of the inputs, float32, by name; a dimension is a size or a name.
            outputs: The same of the outputs.
        """
        graph = b"".join(_bytes(1, node) for node in self._nodes) + _text(2, "encoder")
        graph += b"".join(_bytes(5, constant) for constant in self._constants)
        graph += b"".join(_bytes(11, _value(name, sizes)) for name, sizes in inputs.items())
        graph += b"".join(_bytes(12, _value(name, sizes)) for name, sizes in outputs.items())
        content = _integer(1, IR_VERSION) + _text(2, "pfsm") + _bytes(7, graph)
        for domain, opset in (("", OPSET), (OWN, 1)):
            content += _bytes(8, _text(1, domain) + _integer(2, opset))
        return Model(content, self._tensors)


def _tensor(name: str, values: NDArray[Any]) -> bytes:
    """A TensorProto without data."""
    sizes = b"".join(_integer(1, size) for size in values.shape)
    return sizes + _integer(2, _TYPES[values.dtype.name]) + _text(8, name)


def _value(name: str, sizes: Dimensions) -> bytes:
    """A ValueInfoProto of float32."""
    dimensions = (_integer(1, size) if isinstance(size, int) else _text(2, size) for size in sizes)
    shape = b"".join(_bytes(1, dimension) for dimension in dimensions)
    return _text(1, name) + _bytes(2, _bytes(1, _integer(1, _TYPES["float32"]) + _bytes(2, shape)))


def _attribute(name: str, value: Attribute) -> bytes:
    """An AttributeProto."""
    if isinstance(value, str):
        content, kind = _text(4, value), _STRING
    elif isinstance(value, int):
        content, kind = _integer(3, value), _INT
    elif isinstance(value, float):
        content, kind = _key(2, 5) + struct.pack("<f", value), _FLOAT
    else:
        content, kind = b"".join(_integer(8, one) for one in value), _INTS
    return _text(1, name) + content + _integer(20, kind)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _key(field, 2) + _variable(len(value)) + value


def _integer(field: int, value: int) -> bytes:
    return _key(field, 0) + _variable(value)


def _key(field: int, kind: int) -> bytes:
    return _variable(field << 3 | kind)


def _variable(value: int) -> bytes:
    """A variable-length integer: seven bits a byte, the lowest first; negative ones as 64 bits."""
    value &= (1 << 64) - 1
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


INPUT = "words"


def state_name(layer: int) -> str:
    """The output with the hidden states of a layer; 0 is the embeddings after their norm."""
    return f"state_{layer}"


def encoder_graph(weights: Weights, shape: Shape) -> Model:
    """The ONNX model, from the embeddings of pieces, float32 [b, n, d], to the same for each layer of ``weights``.

    The embeddings themselves stay outside: of a hundred thousand pieces a line has thirty.

    Args:
        weights: The embeddings and the layers up to the last that is needed.
        shape: The shape of the network.
    """
    graph = Graph()
    length = graph.node("Shape", INPUT, start=1, end=2)
    positions = graph.node(
        "Slice", graph.weight(weights.positions), graph.numbers(0), length, graph.numbers(0)
    )
    x = _norm(graph, graph.node("Add", INPUT, positions), weights.norm, shape.epsilon, state_name(0))
    distances = _distances(graph, weights, length)
    for place, layer in enumerate(weights.layers, start=1):
        x = _layer(graph, x, layer, shape, distances, state_name(place))
    size = ("b", "n", weights.words.shape[1])
    outputs = {state_name(layer): size for layer in range(len(weights.layers) + 1)}
    return graph.model({INPUT: size}, outputs)


def _linear(graph: Graph, x: str, linear: Linear) -> str:
    return graph.node("Add", _product(graph, x, linear.stored), graph.weight(linear.bias))


def _product(graph: Graph, x: str, stored: NDArray[np.float32] | BlockRows) -> str:
    if isinstance(stored, np.ndarray):
        return graph.node("MatMul", x, graph.weight(stored))
    rows, columns = stored.shape
    blocks = stored.halves.reshape(rows, columns // BLOCK, BLOCK // 2)
    inputs = x, graph.weight(blocks), graph.weight(stored.scale.ravel())
    # Accuracy level 1: x stays float32.
    return graph.node(
        "MatMulNBits", *inputs, domain=OWN, N=rows, K=columns, bits=4, block_size=BLOCK, accuracy_level=1
    )


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

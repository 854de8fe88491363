"""An encoder of BERT's family (Devlin et al., 2019) as an ONNX graph that returns one hidden layer.

Lines are encoded one at a time, so there is neither padding nor a mask:

    x = norm(words[ids] + positions[0 : n])
    x = norm(x + output(softmax(q k') v))                 q, k, v = linear(x), by heads
    x = norm(x + second(activation(first(x))))            both lines once for every layer
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.bert_weights import ACTIVATIONS, Layer, Linear, Norm, Shape, Weights

INPUT, OUTPUT = "input_ids", "last_hidden_state"
OPSET = 20
# The oldest IR version with this operator set.
IR_VERSION = 9


class _Graph:
    """Nodes and constants with generated names."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def node(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        from onnx import helper  # noqa: PLC0415 - an extra

        output = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def constant(self, values: NDArray[Any]) -> str:
        from onnx import numpy_helper  # noqa: PLC0415

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def numbers(self, *values: int) -> str:
        return self.constant(np.array(values, dtype=np.int64))

    def linear(self, x: str, linear: Linear) -> str:
        product = self.node("MatMul", x, self.constant(linear.weight))
        return self.node("Add", product, self.constant(linear.bias))

    def norm(self, x: str, norm: Norm, epsilon: float, output: str = "") -> str:
        return self.node(
            "LayerNormalization",
            x,
            self.constant(norm.scale),
            self.constant(norm.shift),
            axis=-1,
            epsilon=epsilon,
            output=output,
        )


def encoder_graph(weights: Weights, shape: Shape) -> bytes:
    """The ONNX model, from ``input_ids`` int64 [1, n] to ``last_hidden_state`` float32 [1, n, d].

    The same weights give the same bytes.

    Args:
        weights: The embeddings and the layers up to the wanted one.
        shape: The shape of the network.
    """
    from onnx import TensorProto, helper  # noqa: PLC0415

    graph = _Graph()
    words = graph.node("Gather", graph.constant(weights.words), INPUT)
    length = graph.node("Shape", INPUT, start=1, end=2)
    positions = graph.node(
        "Slice", graph.constant(weights.positions), graph.numbers(0), length, graph.numbers(0)
    )
    last = OUTPUT if not weights.layers else ""
    x = graph.norm(graph.node("Add", words, positions), weights.norm, shape.epsilon, last)
    for place, layer in enumerate(weights.layers, start=1):
        x = _layer(graph, x, layer, shape, OUTPUT if place == len(weights.layers) else "")
    d = weights.words.shape[1]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "encoder",
            [helper.make_tensor_value_info(INPUT, TensorProto.INT64, [1, "n"])],
            [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [1, "n", d])],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="pfsm",
    )
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _layer(graph: _Graph, x: str, layer: Layer, shape: Shape, output: str) -> str:
    attended = graph.linear(_attention(graph, x, layer, shape), layer.output)
    x = graph.norm(graph.node("Add", attended, x), layer.output_norm, shape.epsilon)
    inner = graph.linear(x, layer.first)
    approximate = ACTIVATIONS[shape.activation]
    inner = graph.node("Gelu", inner, approximate=approximate) if approximate else graph.node("Relu", inner)
    return graph.norm(
        graph.node("Add", graph.linear(inner, layer.second), x), layer.norm, shape.epsilon, output
    )


def _attention(graph: _Graph, x: str, layer: Layer, shape: Shape) -> str:
    """``softmax(q k') v`` of every head; the results of the heads are concatenated."""
    d = layer.output.bias.size
    # [1, n, 3 d] -> [3, heads, n, d / heads]
    parts = graph.node(
        "Reshape",
        graph.linear(x, layer.query_key_value),
        graph.numbers(-1, 3, shape.heads, d // shape.heads),
    )
    parts = graph.node("Transpose", parts, perm=[1, 2, 0, 3])
    query, key, value = (
        graph.node("Gather", parts, graph.constant(np.array(number, dtype=np.int64)), axis=0)
        for number in range(3)
    )
    key = graph.node("Transpose", key, perm=[0, 2, 1])
    shares = graph.node("Softmax", graph.node("MatMul", query, key), axis=-1)
    mixed = graph.node("Transpose", graph.node("MatMul", shares, value), perm=[1, 0, 2])
    return graph.node("Reshape", mixed, graph.numbers(1, -1, d))

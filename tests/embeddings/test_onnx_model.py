"""ONNX models written here, as the package ``onnx`` reads them."""

import numpy as np
import onnx

from pfsm.embeddings.bert_graph import Graph
from pfsm.embeddings.session import open_model


def test_what_onnx_reads() -> None:
    graph = Graph()
    weight = graph.weight(np.arange(6, dtype=np.float32).reshape(3, 2))
    taken = graph.node("Gather", weight, "input_ids", axis=0)
    left, right = graph.nodes("Split", taken, outputs=2, axis=-1, num_outputs=2)
    scaled = graph.node("Mul", graph.node("Add", left, right), graph.number(0.5), output="y")
    model = graph.model({"input_ids": ["b", 7]}, {scaled: ["b", 7, 1]})
    read = onnx.load_from_string(model.content)
    assert [node.op_type for node in read.graph.node] == ["Gather", "Split", "Add", "Mul"]
    assert {item.name: item.i for item in read.graph.node[1].attribute} == {"axis": -1, "num_outputs": 2}
    (stored, half) = read.graph.initializer
    assert (stored.name, list(stored.dims), stored.data_location) == (
        weight,
        [3, 2],
        onnx.TensorProto.EXTERNAL,
    )
    assert onnx.numpy_helper.to_array(half) == np.float32(0.5)
    sizes = read.graph.input[0].type.tensor_type.shape.dim
    assert (sizes[0].dim_param, sizes[1].dim_value) == ("b", 7)
    stored.CopyFrom(onnx.numpy_helper.from_array(model.tensors[weight], weight))
    onnx.checker.check_model(read, full_check=True)
    ids = np.array([[0, 2, 1, 0, 0, 0, 1]])
    np.testing.assert_array_equal(open_model(model, "x")(ids)[0, 0, :, 0], (4 * ids[0] + 1) / 2)

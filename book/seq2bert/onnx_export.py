"""A translator as ONNX graphs, for the reader's browser (and for any other ONNX runtime).

Written once against the translator protocol: one graph is `encode` followed by `start`, the other
is `step`. What may be changed in a running model (`Interventions`) is an input of the graphs.

The graphs hold no weights. Each weight is a reference into the safetensors file of the recorded
run (file, offset, length: ONNX's external data), where it lies in half precision; the graph casts
it to single precision. So the weights are stored once, and whoever wants to know what the
browser computes loads the same file into the torch model.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import struct
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from seq2bert.attention_map import Kind
from seq2bert.translator import Interventions, Translator, Tree

if TYPE_CHECKING:
    import onnx

PARTS = ("encode", "step")
HEAD_MASK = "head_mask."
MEMORY, STATE, NEXT, ATTENTION = "memory.", "state.", "next.", "attention."
NUMBERS = ("scale", "temperature")


@dataclass(frozen=True)
class Probe:
    """One small run of a translator, to learn what its memory, state and attention look like."""

    batch: int
    source: int
    memory: Tree
    state: Tree
    attention: Mapping[Kind, Tensor]


def export(model: nn.Module, weights: Path) -> dict[str, onnx.ModelProto]:
    """The graphs of a translator: ``encode`` and ``step``.

    Inputs of ``encode``: ``source`` (batch, source) int64 and ``source_mask`` (batch, source)
    bool. Inputs of ``step``: ``token`` (batch) int64 and everything that ``encode`` gave. Outputs
    of ``encode``: ``memory.<name>`` and ``state.<name>``; of ``step``: ``log_probs``
    (batch, vocabulary), ``next.<name>`` for each state and ``attention.<kind>``
    (batch, layer, head, 1, key). A memory that holds ``encoder`` holds that attention.
    Both take ``scale``, ``temperature`` (scalars) and ``head_mask.<kind>`` (layer, head), float32,
    as far as they depend on them.

    Args:
        model: a translator in eval mode whose weights are those of the file.
        weights: a safetensors file in half precision (`seq2bert.runs.save_weights`); the graphs
            name it without its folder.

    Returns:
        a graph for each part.

    Raises:
        ValueError: the model is no translator, or the file does not hold its weights.
    """
    if not isinstance(model, Translator):
        raise ValueError(f"a {type(model).__name__} is no Translator: it needs encode, start, step")
    places = _places(weights, model)
    small, other, later = _probe(model, 2, 5), _probe(model, 3, 7), _probe(model, 2, 5, steps=4)
    masks = {
        f"{HEAD_MASK}{kind}": torch.ones(tensor.shape[1:3])
        for kind, tensor in {**small.attention, **_read_by(small)}.items()
    }
    one: Tree = {name: torch.tensor(1.0) for name in NUMBERS}
    memory = _prefixed(MEMORY, small.memory)
    # a tensor of its own: one that stands in the memory too would be one input with two names
    # (and one with some words in it: an axis of length 0 or 1 would be taken for a fixed one)
    state = {name: x.clone() for name, x in _prefixed(STATE, later.state).items()}
    ids = torch.ones(small.batch, small.source, dtype=torch.long)
    inputs: dict[str, Tree] = {
        "encode": {"source": ids, "source_mask": ids.bool(), **one, **masks},
        "step": {"token": ids[:, 0], **state, **memory, **one, **masks},
    }
    outputs = {
        "encode": [*memory, *state],
        "step": [
            "log_probs",
            *(NEXT + name for name in small.state),
            *(ATTENTION + kind for kind in small.attention),
        ],
    }
    axes: dict[str, dict[int, str]] = {
        "source": {0: "batch", 1: "source"},
        "source_mask": {0: "batch", 1: "source"},
        "token": {0: "batch"},
    }
    for prefix, part in ((MEMORY, "memory"), (STATE, "state")):
        for name, tensor in getattr(small, part).items():
            axes[prefix + name] = _moving_axes(
                tensor, getattr(other, part)[name], getattr(later, part)[name], small, other
            )
    graphs = {}
    for part, call in (("encode", _Encode(model)), ("step", _Step(model))):
        graph = _trace(call, inputs[part], outputs[part], axes)
        _refer(graph, places, weights.name)
        graphs[part] = graph
    return graphs


def save(model: nn.Module, weights: Path) -> list[Path]:
    """Write the graphs of a translator beside its weights, as `<name>.<part>.onnx`.

    Raises:
        ValueError: as for `export`.
    """
    files = []
    for part, graph in export(model, weights).items():
        file = weights.with_name(f"{weights.stem}.{part}.onnx")
        file.write_bytes(graph.SerializeToString(deterministic=True))
        files.append(file)
    return files


class _Encode(nn.Module):
    """`encode` and `start` with flat inputs and outputs."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, inputs: Tree) -> tuple[Tensor, ...]:
        memory = self.model.encode(inputs["source"], inputs["source_mask"], _interventions(inputs))
        found = (*memory.values(), *self.model.start(memory).values())
        named: list[Tensor] = list(inputs.values())
        outputs: list[Tensor] = []
        for tensor in found:  # what is handed through, or out twice, gets a name of its own
            outputs.append(tensor.clone() if any(tensor is other for other in named) else tensor)
            named.append(tensor)
        return tuple(outputs)


class _Step(nn.Module):
    """`step` with flat inputs and outputs."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, inputs: Tree) -> tuple[Tensor, ...]:
        log_probs, state, attention = self.model.step(
            inputs["token"], _part(STATE, inputs), _part(MEMORY, inputs), _interventions(inputs)
        )
        return (log_probs, *state.values(), *attention.values())


def _interventions(inputs: Tree) -> Interventions:
    masks: dict[Any, Tensor] = _part(HEAD_MASK, inputs)
    return Interventions(masks, scale=inputs["scale"], temperature=inputs["temperature"])


def _prefixed(prefix: str, tree: Tree) -> Tree:
    return {prefix + name: tensor for name, tensor in tree.items()}


def _part(prefix: str, inputs: Tree) -> Tree:
    return {name.removeprefix(prefix): x for name, x in inputs.items() if name.startswith(prefix)}


def _read_by(probe: Probe) -> dict[Kind, Tensor]:
    """The attention with which the source was read, for a translator that has it."""
    return {"encoder": probe.memory["encoder"]} if "encoder" in probe.memory else {}


@torch.no_grad()
def _probe(model: Any, batch: int, source: int, steps: int = 1) -> Probe:
    ids = torch.ones(batch, source, dtype=torch.long)
    memory = model.encode(ids, ids.bool())
    state = model.start(memory)
    if steps > 1:
        for _ in range(steps - 1):
            _, state, _ = model.step(ids[:, 0], state, memory)
    _, _, attention = model.step(ids[:, 0], state, memory)
    return Probe(batch, source, memory, state, attention)


def _moving_axes(
    tensor: Tensor, other: Tensor, later: Tensor, small: Probe, larger: Probe
) -> dict[int, str]:
    """Which axes of a tensor grow with the batch, with the source, or with what is written."""
    names = {}
    for axis, (size, otherwise, grown) in enumerate(
        zip(tensor.shape, other.shape, later.shape, strict=True)
    ):
        if (size, otherwise) == (small.batch, larger.batch):
            names[axis] = "batch"
        elif (size, otherwise) == (small.source, larger.source):
            names[axis] = "source"
        elif size != grown:
            names[axis] = "written"
        elif size != otherwise:
            raise ValueError(
                f"an axis has {size} entries for {small.batch} sentences of {small.source} words "
                f"and {otherwise} for {larger.batch} of {larger.source}; expected one of the two"
            )
    return names


def _trace(
    call: nn.Module, inputs: Tree, outputs: Sequence[str], axes: Mapping[str, Mapping[int, str]]
) -> onnx.ModelProto:
    """The graph of a call, its inputs and outputs named."""
    free = {name: torch.export.Dim(name) for names in axes.values() for name in names.values()}
    shapes = {
        name: {axis: free[free_name] for axis, free_name in axes.get(name, {}).items()}
        for name in inputs
    }
    # While it traces, the exporter puts other kernels in the place of recurrent layers; what the
    # dispatcher remembers from an earlier export would fix the length of the source.
    for operator in (torch.ops.aten.gru.input, torch.ops.aten.lstm.input):
        operator._dispatch_cache.clear()
    with _quiet():
        program = torch.onnx.export(
            call.eval(),
            kwargs={"inputs": inputs},
            dynamo=True,
            dynamic_shapes={"inputs": shapes},
            input_names=list(inputs),
            output_names=list(outputs),
            optimize=False,
            verbose=False,
        )
    assert program is not None
    proto = program.model_proto
    for value in proto.graph.input:
        for axis, free_name in axes.get(value.name, {}).items():
            if value.type.tensor_type.shape.dim[axis].dim_param != free_name:
                raise ValueError(
                    f"axis {axis} of {value.name} was fixed while the model was traced; expected "
                    f"any length ({free_name}): does its code look at a shape as a number?"
                )
    for value in proto.graph.output:  # the tracer takes some lengths for those of the example
        for axis, free_name in axes.get(value.name, {}).items():
            value.type.tensor_type.shape.dim[axis].dim_param = free_name
    proto.producer_version = ""
    for node in proto.graph.node:  # where each came from in the source: paths of one machine
        del node.metadata_props[:]
        node.doc_string = ""
    for value in (*proto.graph.value_info, *proto.graph.input, *proto.graph.output):
        del value.metadata_props[:]
    del proto.graph.metadata_props[:]
    del proto.metadata_props[:]
    del proto.graph.value_info[:]
    return proto


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The exporter reports its progress in prints, logs and warnings; none of it is for us."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


@dataclass(frozen=True)
class _Place:
    """Where a weight lies in its file, in bytes."""

    offset: int
    length: int


def _places(weights: Path, model: nn.Module) -> dict[str, _Place]:
    """Where each parameter lies in a safetensors file (8 bytes length, a JSON header, numbers)."""
    if not weights.is_file():
        raise ValueError(f"there is no file {weights.name}; save the weights of the model first")
    content = weights.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + size])
    places = {}
    for name, parameter in model.state_dict().items():
        entry = header.get(name)
        if entry is None or entry["shape"] != list(parameter.shape) or entry["dtype"] != "F16":
            raise ValueError(
                f"{weights.name} holds no {name} of shape {tuple(parameter.shape)} in half "
                "precision; save the weights of this very model first"
            )
        begin, end = entry["data_offsets"]
        places[name] = _Place(8 + size + begin, end - begin)
    return places


def _refer(proto: onnx.ModelProto, places: Mapping[str, _Place], location: str) -> None:
    """Replace each weight by a reference to its half precision in the file, and a cast."""
    from onnx import TensorProto, helper

    graph = proto.graph
    casts = []
    for tensor in graph.initializer:
        place = places.get(tensor.name.removeprefix("model."))
        if place is None:
            continue
        name = tensor.name
        half = TensorProto(name=f"{name}.half", data_type=TensorProto.FLOAT16, dims=tensor.dims)
        half.data_location = TensorProto.EXTERNAL
        for key, value in (
            ("location", location),
            ("offset", place.offset),
            ("length", place.length),
        ):
            half.external_data.add(key=key, value=str(value))
        tensor.CopyFrom(half)
        casts.append(helper.make_node("Cast", [half.name], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)

"""The graphs that the browser runs, in the native runtime, against torch with the same weights."""

import importlib
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from seq2bert import corpus, encoder_decoder, luong, onnx_export, recurrent, runs, transformer
from seq2bert.attention.distributions import masked_sigmoid, masked_softmax, sparsemax
from seq2bert.attention.energy_layers import MAKERS as ENERGIES
from seq2bert.attention_map import Kind
from seq2bert.translator import Interventions

SIZES = recurrent.Sizes(8, 12, 6)
DISTRIBUTIONS = {"softmax": masked_softmax, "sparsemax": sparsemax, "sigmoid": masked_sigmoid}
VARIANTS = [*((energy, "softmax") for energy in ENERGIES), ("dot", "sparsemax"), ("dot", "sigmoid")]


def state_first(energy, distribution):
    """What makes a translator of chapter 2.2."""
    return lambda source, target, _: luong.LuongTranslator(
        source, target, ENERGIES[energy](12, 12, 6), DISTRIBUTIONS[distribution], luong.Sizes(8, 12)
    )


ALL = {
    "with word": recurrent.with_attention,
    "fixed context": recurrent.without_attention,
    "published": lambda *sizes: recurrent.with_attention(*sizes, query_sees_word=False),
    "without attention": lambda source, target, _: encoder_decoder.EncoderDecoder(
        source, target, sizes=encoder_decoder.Sizes(8, 12)
    ),
    **{f"{energy}, {g}": state_first(energy, g) for energy, g in VARIANTS},
    "transformer": lambda source, target, _: transformer.Transformer(
        source, target, transformer.Sizes(width=8, heads=2, hidden=12, layers=2)
    ),
}
# An export takes torch half a minute: each day one kind of translator is exported anew, or that
# which GRAPHS names. The stored graphs of all are compared below.
TODAY = os.environ.get("GRAPHS") or list(ALL)[datetime.now(UTC).date().toordinal() % len(ALL)]
MAKERS = {TODAY: ALL[TODAY]}
sys.path.insert(0, str(runs.runs_folder()))


class Native:
    """Both graphs of a translator in onnxruntime."""

    def __init__(self, files):
        self.parts = [onnxruntime.InferenceSession(str(file)) for file in files]

    def run(self, part, inputs):
        session = self.parts[part]
        values = {i.name: np.asarray(inputs[i.name]) for i in session.get_inputs()}
        return dict(
            zip([o.name for o in session.get_outputs()], session.run(None, values), strict=True)
        )


def heads_of(model, factor):
    """For each kind of attention a factor for its first head; the others stay as they are."""
    kinds, shape = ["cross"], (1, 1)
    if isinstance(model, transformer.Transformer):
        kinds, shape = get_args(Kind), (model.sizes.layers, model.sizes.heads)
    masks = {kind: torch.ones(shape) for kind in kinds}
    for mask in masks.values():
        mask[0, 0] = factor
    return masks


def compare(model, native, source, mask, steps, interventions):
    """The largest difference of log-probabilities, weights and states over some steps.

    What is larger than 1 is compared in proportion: single precision has seven digits.
    """
    scale, temperature, head = interventions
    given = {
        "source": source,
        "source_mask": mask,
        "scale": np.float32([scale]).reshape(()),
        "temperature": np.float32([temperature]).reshape(()),
    }
    masks = heads_of(model, head)
    given |= {f"head_mask.{kind}": mask.numpy() for kind, mask in masks.items()}
    changes = Interventions(masks, scale, temperature)
    largest = 0.0
    with torch.no_grad():
        memory = model.encode(torch.tensor(source), torch.tensor(mask), changes)
        state = model.start(memory)
        found = given | native.run(0, given)
        token = torch.full((len(source),), 1)
        for _ in range(steps):
            log_probs, state, attention = model.step(token, state, memory, changes)
            other = native.run(1, found | {"token": token.numpy()})
            compared = [(log_probs, other["log_probs"])]
            compared += [(memory[k], found[f"memory.{k}"]) for k in memory if k != "mask"]
            compared += [(w, other[f"attention.{kind}"]) for kind, w in attention.items()]
            compared += [(tensor, other[f"next.{name}"]) for name, tensor in state.items()]
            for ours, theirs in compared:
                apart = np.abs(ours.numpy() - theirs) / np.maximum(1, np.abs(theirs))
                largest = max(largest, float(apart.max()))
            found |= {f"state.{k[5:]}": v for k, v in other.items() if k.startswith("next.")}
            token = log_probs.argmax(-1)
    return largest


# in a process of its own: the checks of shapes, which are on here, would fix the shapes of a graph
EXPORT = """
import sys
sys.path[:0] = sys.argv[2:]
import torch
from pathlib import Path
from seq2bert import onnx_export, runs
from test_onnx_export import MAKERS, SIZES
folder = Path(sys.argv[1])

for number, make in enumerate(MAKERS.values()):
    torch.manual_seed(1)
    model, name = make(11, 13, SIZES).eval(), f"small{number}"
    runs.save_weights(model, name, folder)
    runs.load_weights(model, name, folder)
    onnx_export.save(model, folder / f"{name}.safetensors")
"""


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")
    here = Path(__file__).parent
    subprocess.run([sys.executable, "-c", EXPORT, folder, here, here.parent], check=True)
    return folder


@pytest.fixture(scope="module", params=MAKERS)
def exported(request, graphs):
    name = f"small{list(MAKERS).index(request.param)}"
    model = MAKERS[request.param](11, 13, SIZES)
    runs.load_weights(model, name, graphs)  # torch holds the rounded weights, too
    return model, [graphs / f"{name}.{part}.onnx" for part in runs.GRAPHS]


@pytest.mark.parametrize("lengths", [(6,), (1,), (5, 2, 7), (60,)])
@pytest.mark.parametrize("interventions", [(1.0, 1.0, 1.0), (0.5, 2.0, 0.0), (8.0, 0.25, 1.0)])
def test_graphs_and_torch_agree_for_any_batch_length_and_intervention(
    exported, lengths, interventions
):
    model, files = exported
    longest = max(lengths)
    source = np.random.default_rng(0).integers(4, 11, (len(lengths), longest))
    mask = np.arange(longest) < np.array(lengths)[:, None]
    assert compare(model, Native(files), source, mask, 6, interventions) < 1e-5


def test_graphs_hold_no_weights_and_no_path_of_a_machine(exported):
    _, files = exported
    for file in files:
        graph = onnx.load(str(file), load_external_data=False).graph
        outside = [t for t in graph.initializer if t.data_location == onnx.TensorProto.EXTERNAL]
        assert outside
        assert {
            entry.value for t in outside for entry in t.external_data if entry.key == "location"
        } == {file.name.partition(".")[0] + ".safetensors"}
        inside = sum(len(t.raw_data) for t in graph.initializer)
        assert inside < 2_000
        assert not re.search(rb"site-packages|/home/|\.py", file.read_bytes())


def test_weights_of_another_model_are_refused(tmp_path):
    runs.save_weights(recurrent.with_attention(11, 13, SIZES), "other", tmp_path)
    wider = recurrent.with_attention(12, 13, SIZES).eval()
    with pytest.raises(ValueError, match=r"source_embedding.weight of shape \(12, 8\)"):
        onnx_export.export(wider, tmp_path / "other.safetensors")


def test_what_is_no_translator_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no Translator"):
        onnx_export.export(torch.nn.Linear(2, 2), tmp_path / "none.safetensors")


STORED = [
    (path.stem, row)
    for path in sorted(runs.runs_folder().glob("*.json"))
    for row in runs.load(path.stem).rows
    if "weights" in row and getattr(importlib.import_module(path.stem), "LIVE", True)
]

SENTENCES = corpus.pairs("test", 3)


@pytest.mark.parametrize(("name", "row"), STORED, ids=lambda value: str(value)[:20])
def test_stored_graphs_are_those_of_the_code_and_compute_what_torch_does(name, row):
    run = importlib.import_module(name)
    model = run.model_of(row)
    runs.load_weights(model, row["weights"])
    files = [runs.runs_folder() / f"{row['weights']}.{part}.onnx" for part in runs.GRAPHS]
    native = Native(files)
    for pair in SENTENCES:
        source = np.array([run.ENGLISH.encode(pair.source)])
        mask = np.ones(source.shape, bool)
        assert compare(model, native, source, mask, 10, (1.0, 1.0, 1.0)) < 1e-5

"""The graphs that the browser runs, in the native runtime, against torch with the same weights."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from seq2bert import encoder_decoder, luong, onnx_export, recurrent, runs
from seq2bert.attention.distributions import masked_sigmoid, masked_softmax, sparsemax
from seq2bert.attention.energy_layers import MAKERS as ENERGIES
from seq2bert.translator import Interventions

SIZES = recurrent.Sizes(8, 12, 6)
DISTRIBUTIONS = {"softmax": masked_softmax, "sparsemax": sparsemax, "sigmoid": masked_sigmoid}
VARIANTS = [*((energy, "softmax") for energy in ENERGIES), ("dot", "sparsemax"), ("dot", "sigmoid")]


def state_first(energy="additive", distribution="softmax"):
    made = ENERGIES[energy](12, 12, 6)
    return luong.LuongTranslator(11, 13, made, DISTRIBUTIONS[distribution], luong.Sizes(8, 12))


MAKERS = {
    "with word": recurrent.with_attention,
    "published": lambda *sizes: recurrent.with_attention(*sizes, query_sees_word=False),
    "without attention": lambda source, target, _: encoder_decoder.EncoderDecoder(
        source, target, sizes=encoder_decoder.Sizes(8, 12)
    ),
    "state first": lambda *sizes: state_first(),
}
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


def compare(model, native, source, mask, steps, interventions):
    """The largest difference of log-probabilities and of weights over some steps."""
    scale, temperature, head = interventions
    given = {
        "source": source,
        "source_mask": mask,
        "scale": np.float32([scale]).reshape(()),
        "temperature": np.float32([temperature]).reshape(()),
        "head_mask.cross": np.full((1, 1), head, dtype=np.float32),
    }
    changes = Interventions({"cross": torch.full((1, 1), head)}, scale, temperature)
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
            compared += [(w, other[f"attention.{kind}"]) for kind, w in attention.items()]
            compared += [(tensor, other[f"next.{name}"]) for name, tensor in state.items()]
            for ours, theirs in compared:
                largest = max(largest, float(np.abs(ours.numpy() - theirs).max()))
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
from test_onnx_export import MAKERS, SIZES, VARIANTS, state_first
folder = Path(sys.argv[1])

def stored(make, name):
    torch.manual_seed(1)
    model = make().eval()
    runs.save_weights(model, name, folder)
    runs.load_weights(model, name, folder)
    return model, folder / f"{name}.safetensors"

for number, make in enumerate(MAKERS.values()):
    onnx_export.save(*stored(lambda: make(11, 13, SIZES), f"small{number}"))
for number, variant in enumerate(VARIANTS):
    model, weights = stored(lambda: state_first(*variant), f"variant{number}")
    graph = onnx_export.export(model, weights, ["step"])["step"]
    weights.with_name(f"variant{number}.step.onnx").write_bytes(graph.SerializeToString())
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


@pytest.mark.parametrize("lengths", [(6,), (1,), (5, 2, 7)])
@pytest.mark.parametrize("interventions", [(1.0, 1.0, 1.0), (0.5, 2.0, 0.0), (8.0, 0.25, 1.0)])
def test_graphs_and_torch_agree_for_any_batch_length_and_intervention(
    exported, lengths, interventions
):
    model, files = exported
    longest = max(lengths)
    source = np.random.default_rng(0).integers(4, 11, (len(lengths), longest))
    mask = np.arange(longest) < np.array(lengths)[:, None]
    assert compare(model, Native(files), source, mask, 6, interventions) < 1e-5


@pytest.mark.parametrize("lengths", [(6,), (1,), (5, 2, 7), (60,)])
@pytest.mark.parametrize("variant", VARIANTS, ids=", ".join)
def test_a_step_with_every_energy_and_distribution_is_that_of_torch(graphs, variant, lengths):
    """Encoding is the same for all of them, and is torch's here."""
    name = f"variant{VARIANTS.index(variant)}"
    model = state_first(*variant)
    runs.load_weights(model, name, graphs)
    native = Native([graphs / f"{name}.step.onnx"])
    source = torch.randint(4, 11, (len(lengths), max(lengths)))
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    changes = Interventions(scale=2.0, temperature=0.5)
    largest, token = 0.0, torch.full((len(lengths),), 1)
    with torch.no_grad():
        memory = model.encode(source, mask, changes)
        state = model.start(memory)
        for _ in range(4):
            given = {"token": token, "scale": 2.0, "temperature": 0.5}
            given |= {f"memory.{k}": v for k, v in memory.items()}
            given |= {f"state.{k}": v for k, v in state.items()}
            given = {k: np.float32(v) if isinstance(v, float) else v for k, v in given.items()}
            given["head_mask.cross"] = np.ones((1, 1), np.float32)
            found = native.run(0, given)
            log_probs, state, attention = model.step(token, state, memory, changes)
            for ours, theirs in (
                (log_probs, found["log_probs"]),
                (attention["cross"], found["attention.cross"]),
                (state["hidden"], found["next.hidden"]),
            ):
                largest = max(largest, float(np.abs(ours.numpy() - theirs).max()))
            token = log_probs.argmax(-1)
    assert largest < 1e-5


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
    if "weights" in row
]


@pytest.mark.parametrize(("name", "row"), STORED, ids=lambda value: str(value)[:20])
def test_stored_graphs_are_those_of_the_code_and_compute_what_torch_does(name, row):
    run = importlib.import_module(name)
    model = run.model_of(row)
    runs.load_weights(model, row["weights"])
    files = [runs.runs_folder() / f"{row['weights']}.{part}.onnx" for part in runs.GRAPHS]
    source = np.random.default_rng(0).integers(4, 300, (1, 12))
    assert compare(model, Native(files), source, np.ones((1, 12), bool), 10, (1.0, 1.0, 1.0)) < 4e-5

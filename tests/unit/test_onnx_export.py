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
from seq2bert.translator import NO_INTERVENTIONS, Interventions

SIZES = recurrent.Sizes(8, 12, 6)
DISTRIBUTIONS = {"softmax": masked_softmax, "sparsemax": sparsemax, "sigmoid": masked_sigmoid}
VARIANTS = [*((energy, "softmax") for energy in ENERGIES), ("dot", "sparsemax"), ("dot", "sigmoid")]


class EveryEnergy(torch.nn.Module):
    """One translator that looks at the source in every way: a head for each variant.

    Encoder, decoder and output are the first one's; what differs is how a member attends.
    """

    def __init__(self, source_size, target_size):
        super().__init__()
        sizes = luong.Sizes(8, 12)
        self.members = torch.nn.ModuleList(
            luong.LuongTranslator(
                source_size, target_size, ENERGIES[energy](12, 12, 6), DISTRIBUTIONS[g], sizes
            )
            for energy, g in VARIANTS
        )

    def encode(self, source, source_mask, interventions=NO_INTERVENTIONS):
        return self.members[0].encode(source, source_mask, interventions)

    def start(self, memory):
        return self.members[0].start(memory)

    def step(self, token, state, memory, interventions=NO_INTERVENTIONS):
        first = self.members[0]
        embedded = first.target_embedding(token[:, None])
        states, last = first.decoder(embedded, state["hidden"][None].contiguous())
        log_probs, weights = [], []
        for member in self.members:
            context, found = member.attend(states, memory, interventions)
            combined = first.combine(torch.cat([context, states], dim=-1)).tanh()
            logits = first.output(combined)[:, 0] / interventions.temperature
            log_probs.append(logits.log_softmax(dim=-1))
            weights.append(found)
        # what is likeliest for the first is written
        attention = torch.stack(weights, dim=1)[:, None]
        return torch.cat(log_probs, dim=-1), {"hidden": last[0]}, {"cross": attention}


MAKERS = {
    "with word": recurrent.with_attention,
    "published": lambda *sizes: recurrent.with_attention(*sizes, query_sees_word=False),
    "without attention": lambda source, target, _: encoder_decoder.EncoderDecoder(
        source, target, sizes=encoder_decoder.Sizes(8, 12)
    ),
    "state first, every energy": lambda source, target, _: EveryEnergy(source, target),
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
    heads = len(model.members) if isinstance(model, EveryEnergy) else 1
    given = {
        "source": source,
        "source_mask": mask,
        "scale": np.float32([scale]).reshape(()),
        "temperature": np.float32([temperature]).reshape(()),
        "head_mask.cross": np.full((1, heads), head, dtype=np.float32),
    }
    changes = Interventions({"cross": torch.full((1, heads), head)}, scale, temperature)
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
            token = log_probs[:, :13].argmax(-1) if heads > 1 else log_probs.argmax(-1)
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


def test_every_energy_and_distribution_is_a_head_of_its_own():
    """Otherwise the comparison above would compare one of them fifteen times."""
    torch.manual_seed(1)
    model = EveryEnergy(11, 13)
    source = torch.randint(4, 11, (1, 6))
    memory = model.encode(source, torch.ones_like(source, dtype=torch.bool))
    _, _, attention = model.step(torch.tensor([1]), model.start(memory), memory)
    heads = attention["cross"][0, 0, :, 0]
    assert heads.shape == (15, 6)
    assert len({tuple(head.tolist()) for head in heads.detach()}) == 15


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


@pytest.mark.parametrize(("name", "row"), STORED, ids=lambda value: str(value)[:20])
def test_stored_graphs_are_those_of_the_code_and_compute_what_torch_does(name, row):
    run = importlib.import_module(name)
    model = run.model_of(row)
    runs.load_weights(model, row["weights"])
    files = [runs.runs_folder() / f"{row['weights']}.{part}.onnx" for part in runs.GRAPHS]
    source = np.random.default_rng(0).integers(4, 300, (1, 12))
    # energies reach the hundreds, log-probabilities -40: seven digits of them, no more
    assert compare(model, Native(files), source, np.ones((1, 12), bool), 10, (1.0, 1.0, 1.0)) < 2e-4

"""The translator of Luong et al., with every energy and every distribution."""

import pytest
import torch

from seq2bert.attention import masked_sigmoid, masked_softmax, sparsemax
from seq2bert.attention.energy_layers import MAKERS
from seq2bert.batching import pad
from seq2bert.luong import LuongTranslator, Sizes
from seq2bert.translator import Interventions, Translator

SIZES = Sizes(embedding=6, hidden=8)
SENTENCES = [[4, 5, 6, 7, 8], [5, 4], [9], [8, 8, 6]]
TARGETS = [[1, 4, 5, 6], [1, 7, 8], [1, 9, 4], [1, 5, 5, 5]]
DISTRIBUTIONS = {"softmax": masked_softmax, "sparsemax": sparsemax, "sigmoid": masked_sigmoid}


def make(energy="general", distribution="softmax"):
    torch.manual_seed(3)
    made = MAKERS[energy](SIZES.hidden, SIZES.hidden, 4)
    return LuongTranslator(12, 13, made, DISTRIBUTIONS[distribution], SIZES).eval()


@pytest.fixture(
    params=[*((name, "softmax") for name in MAKERS), ("dot", "sparsemax"), ("dot", "sigmoid")]
)
def model(request):
    return make(*request.param)


def test_every_model_is_a_translator(model):
    assert isinstance(model, Translator)


def test_a_sentence_alone_equals_itself_in_a_padded_batch(model):
    source, mask = pad(SENTENCES, pad_id=0)
    target, _ = pad(TARGETS, pad_id=0)
    together, attention = model(source, mask, target)
    for row, (sentence, words) in enumerate(zip(SENTENCES, TARGETS, strict=True)):
        alone, own = model(*pad([sentence], pad_id=0), torch.tensor([words]))
        assert torch.allclose(together[row, : len(words)], alone[0], atol=1e-5)
        shared = attention["cross"][row, :, :, : len(words)]
        assert torch.allclose(shared[..., : len(sentence)], own["cross"][0], atol=1e-5)
        assert (shared[..., len(sentence) :] == 0).all()


def test_step_by_step_equals_teacher_forcing(model):
    source, mask = pad(SENTENCES, pad_id=0)
    target, _ = pad(TARGETS, pad_id=0)
    forced, attention = model(source, mask, target)
    memory = model.encode(source, mask)
    state = model.start(memory)
    for t in range(target.shape[1]):
        log_probs, state, weights = model.step(target[:, t], state, memory)
        assert torch.allclose(log_probs, forced[:, t], atol=1e-5)
        assert torch.allclose(weights["cross"], attention["cross"][:, :, :, t : t + 1], atol=1e-5)


def test_what_comes_later_changes_nothing_before(model):
    source, mask = pad(SENTENCES, pad_id=0)
    target, _ = pad(TARGETS, pad_id=0)
    changed = target.clone()
    changed[:, 2] = 11
    before, attention = model(source, mask, target)
    after, other = model(source, mask, changed)
    assert torch.equal(before[:, :2], after[:, :2])
    assert torch.equal(attention["cross"][..., :2, :], other["cross"][..., :2, :])
    assert not torch.allclose(before[:, 2], after[:, 2])


def test_the_equations_of_one_step_by_hand():
    model = make("dot")
    source, mask = pad([[4, 5, 6]], pad_id=0)
    memory = model.encode(source, mask)
    hidden = model.start(memory)["hidden"]
    log_probs, state, attention = model.step(torch.tensor([7]), {"hidden": hidden}, memory)
    _, last = model.decoder(model.target_embedding(torch.tensor([[7]])), hidden[None])
    s_t = last[0, 0]
    assert torch.allclose(state["hidden"][0], s_t, atol=1e-6)
    alpha = torch.stack([s_t @ h for h in memory["annotations"][0]]).softmax(0)
    assert torch.allclose(attention["cross"][0, 0, 0, 0], alpha, atol=1e-6)
    c_t = alpha @ memory["annotations"][0]
    logits = model.output(torch.tanh(model.combine(torch.cat([c_t, s_t]))))
    assert torch.allclose(log_probs[0], logits.log_softmax(0), atol=1e-5)


def test_interventions_reach_energies_context_and_output():
    model = make("dot")
    source, mask = pad([[4, 5, 6]], pad_id=0)
    words = torch.tensor([[1, 4]])
    _, attention = model(source, mask, words, Interventions(scale=0.0))
    assert torch.allclose(attention["cross"], torch.tensor(1 / 3))
    off = Interventions(head_mask={"cross": torch.zeros(1, 1)})
    blind, same = model(source, mask, words, off)
    plain, weights = model(source, mask, words)
    assert torch.equal(same["cross"], weights["cross"])
    assert not torch.allclose(blind, plain)
    cold, _ = model(source, mask, words, Interventions(temperature=0.5))
    assert torch.allclose(cold, (2 * plain).log_softmax(-1), atol=1e-5)


def test_gradients_reach_every_parameter(model):
    source, mask = pad(SENTENCES, pad_id=0)
    target, _ = pad(TARGETS, pad_id=0)
    model(source, mask, target)[0][..., 5].sum().backward()
    # a place that no sentence reaches, and a word that no sentence has, learn nothing
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert (parameter.grad != 0).any(), name


def test_an_odd_width_is_refused():
    with pytest.raises(ValueError, match="hidden is 7; expected an even number"):
        LuongTranslator(12, 13, MAKERS["dot"](7, 7, 4), sizes=Sizes(6, 7))

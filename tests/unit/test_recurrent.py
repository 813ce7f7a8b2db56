"""The recurrent translators: padding, the two ways through the decoder, interventions."""

import pytest
import torch
from torch import nn

from seq2bert.batching import pad
from seq2bert.recurrent import (
    BidirectionalEncoder,
    Sizes,
    final_states,
    reverse_padded,
    with_attention,
    without_attention,
)
from seq2bert.translator import Interventions, Translator, select

SIZES = Sizes(embedding=6, hidden=5, energy=4, dropout=0.3)
SENTENCES = [[4, 5, 6, 7, 8], [5, 4], [9], [8, 8, 6]]
TARGETS = [[1, 4, 5, 6], [1, 7, 8], [1, 9, 4], [1, 5, 5, 5]]


def make(kind):
    torch.manual_seed(3)
    maker = {
        "fixed": without_attention,
        "published": lambda *a: with_attention(*a, query_sees_word=False),
        "word": with_attention,
    }[kind]
    return maker(12, 13, SIZES).eval()


@pytest.fixture(params=["fixed", "published", "word"])
def model(request):
    return make(request.param)


def test_reverse_padded_of_a_worked_example():
    sequence = torch.tensor([[1.0, 2, 3, 0], [4, 5, 6, 7], [0, 0, 0, 0]]).unsqueeze(-1)
    mask = torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]]).bool()
    turned = reverse_padded(sequence, mask)
    assert turned[..., 0].tolist() == [[3, 2, 1, 0], [7, 6, 5, 4], [0, 0, 0, 0]]
    assert torch.equal(reverse_padded(turned, mask), sequence)


def test_encoder_equals_torch_bidirectional_gru():
    torch.manual_seed(0)
    ours, theirs = BidirectionalEncoder(6, 5), nn.GRU(6, 5, batch_first=True, bidirectional=True)
    for suffix, part in (("", ours.forwards), ("_reverse", ours.backwards)):
        for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
            getattr(theirs, name + suffix).data = getattr(part, name).data
    embedded, mask = torch.randn(3, 4, 6), torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]])
    packed = nn.utils.rnn.pack_padded_sequence(
        embedded, mask.sum(1), batch_first=True, enforce_sorted=False
    )
    expected, last = theirs(packed)
    expected, _ = nn.utils.rnn.pad_packed_sequence(expected, batch_first=True)
    annotations = ours(embedded, mask.bool())
    assert torch.allclose(annotations, expected, atol=1e-6)
    summary = final_states(annotations, mask.bool())
    assert torch.allclose(summary, torch.cat([last[0], last[1]], -1), atol=1e-6)


def test_every_model_is_a_translator(model):
    assert isinstance(model, Translator)


def test_a_sentence_alone_equals_itself_in_a_padded_batch(model):
    source, mask = pad(SENTENCES, pad_id=0)
    target, _ = pad(TARGETS, pad_id=0)
    together, attention = model(source, mask, target)
    for row, (sentence, words) in enumerate(zip(SENTENCES, TARGETS, strict=True)):
        alone, own = model(*pad([sentence], pad_id=0), torch.tensor([words]))
        assert torch.allclose(together[row, : len(words)], alone[0], atol=1e-6)
        for kind, weights in own.items():
            shared = attention[kind][row, :, :, : len(words)]
            assert torch.allclose(shared[..., : len(sentence)], weights[0], atol=1e-6)
            assert (shared[..., len(sentence) :] == 0).all()


def test_what_stands_at_padding_does_not_matter(model):
    source, mask = pad(SENTENCES, pad_id=0)
    target, _ = pad(TARGETS, pad_id=0)
    other = source.masked_fill(~mask, 11)
    assert torch.equal(model(source, mask, target)[0], model(other, mask, target)[0])


def test_teacher_forcing_equals_step_by_step(model):
    source, mask = pad(SENTENCES, pad_id=0)
    target, _ = pad(TARGETS, pad_id=0)
    expected, attention = model(source, mask, target)
    memory = model.encode(source, mask)
    state = model.start(memory)
    for position in range(target.shape[1]):
        log_probs, state, weights = model.step(target[:, position], state, memory)
        assert torch.allclose(log_probs, expected[:, position], atol=1e-6)
        for kind in weights:
            assert torch.allclose(weights[kind][..., 0, :], attention[kind][..., position, :])


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("gradients", [True, False])
def test_a_later_target_word_does_not_reach_an_earlier_output(model, training, gradients):
    model.train(training)
    source, mask = pad(SENTENCES, pad_id=0)
    target, _ = pad(TARGETS, pad_id=0)
    changed = target.clone()
    changed[:, 2] = 10
    with torch.set_grad_enabled(gradients):
        torch.manual_seed(0)
        before, _ = model(source, mask, target)
        torch.manual_seed(0)
        after, _ = model(source, mask, changed)
    assert torch.equal(before[:, :2], after[:, :2])
    assert not torch.equal(before[:, 2:], after[:, 2:])


def test_log_probabilities_sum_to_one(model):
    log_probs, _ = model(*pad(SENTENCES, pad_id=0), pad(TARGETS, pad_id=0)[0])
    assert torch.allclose(log_probs.exp().sum(-1), torch.ones(log_probs.shape[:2]), atol=1e-5)


def test_an_empty_source_gives_finite_numbers_and_gradients(model):
    source, mask = torch.zeros(2, 3, dtype=torch.long), torch.zeros(2, 3, dtype=torch.bool)
    mask[0] = True
    log_probs, attention = model(source, mask, torch.tensor([[1, 4], [1, 4]]))
    log_probs.sum().backward()
    assert torch.isfinite(log_probs).all()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)
    assert all((weights[1] == 0).all() for weights in attention.values())


def test_attention_has_the_axes_batch_layer_head_query_key():
    _, attention = make("word")(*pad(SENTENCES, pad_id=0), pad(TARGETS, pad_id=0)[0])
    assert {kind: tuple(w.shape) for kind, w in attention.items()} == {"cross": (4, 1, 1, 4, 5)}
    assert make("fixed")(*pad(SENTENCES, pad_id=0), pad(TARGETS, pad_id=0)[0])[1] == {}


def attention_after(kind, previous):
    model = make(kind)
    memory = model.encode(*pad([SENTENCES[0]], pad_id=0))
    return model.step(torch.tensor([previous]), model.start(memory), memory)[2]["cross"]


def test_the_published_query_does_not_know_the_previous_word_and_ours_does():
    assert torch.equal(attention_after("published", 4), attention_after("published", 9))
    assert not torch.allclose(attention_after("word", 4), attention_after("word", 9))


@pytest.mark.parametrize("kind", ["published", "word"])
def test_interventions(kind):
    model = make(kind)
    inputs = (*pad(SENTENCES, pad_id=0), pad(TARGETS, pad_id=0)[0])
    plain, weights = model(*inputs)
    same, _ = model(*inputs, Interventions(head_mask={"cross": torch.ones(1, 1)}))
    off, seen = model(*inputs, Interventions(head_mask={"cross": torch.zeros(1, 1)}))
    assert torch.equal(plain, same)
    assert not torch.allclose(plain, off)
    assert torch.equal(weights["cross"][..., 0, :], seen["cross"][..., 0, :])
    _, uniform = model(*inputs, Interventions(scale=0.0))
    assert torch.allclose(uniform["cross"][0], torch.full((1, 1, 4, 5), 0.2))
    cold, _ = model(*inputs, Interventions(temperature=0.5))
    assert torch.allclose(cold, (plain * 2).log_softmax(-1), atol=1e-5)


def test_a_beam_can_reorder_memory_and_state(model):
    source, mask = pad(SENTENCES, pad_id=0)
    memory = model.encode(source, mask)
    token = torch.tensor([4, 5, 6, 7])
    log_probs, state, _ = model.step(token, model.start(memory), memory)
    rows = torch.tensor([2, 0, 0])
    again, _, _ = model.step(token[rows], select(model.start(memory), rows), select(memory, rows))
    assert torch.allclose(log_probs[rows], again, atol=1e-6)
    assert all(tensor.shape[0] == 4 for tensor in state.values())

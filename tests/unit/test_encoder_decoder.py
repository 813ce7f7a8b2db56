"""The encoder-decoder of 2014: padding, the two ways through it, its head, teacher forcing."""

import pytest
import torch
from torch import nn

from seq2bert import exposure
from seq2bert.batching import pad
from seq2bert.cells import CELLS, unroll
from seq2bert.encoder_decoder import EncoderDecoder, Sizes, read
from seq2bert.translator import Interventions, Translator, select

SIZES = Sizes(embedding=6, hidden=5, dropout=0.3)
SENTENCES = [[4, 5, 6, 7, 8], [5, 4], [9], [8, 8, 6]]
TARGETS = [[1, 4, 5, 6], [1, 7, 8], [1, 9, 4], [1, 5, 5, 5]]


@pytest.fixture(params=["RNN", "GRU", "LSTM"])
def model(request):
    torch.manual_seed(3)
    return EncoderDecoder(12, 13, request.param, sizes=SIZES).eval()


@pytest.fixture
def batch():
    source, mask = pad(SENTENCES, 0)
    target, _ = pad(TARGETS, 0)
    return source, mask, target


def stepwise(model, source, mask, target):
    memory = model.encode(source, mask)
    state, found = model.start(memory), []
    for token in target.unbind(dim=1):
        log_probs, state, attention = model.step(token, state, memory)
        assert attention == {}
        found.append(log_probs)
    return torch.stack(found, dim=1)


def test_it_is_a_translator(model):
    assert isinstance(model, Translator)


def test_teacher_forced_equals_step_by_step(model, batch):
    log_probs, attention = model(*batch)
    assert attention == {}
    assert torch.allclose(log_probs, stepwise(model, *batch), atol=1e-6)
    assert torch.allclose(log_probs.exp().sum(-1), torch.ones(4, 4), atol=1e-6)


def test_a_sentence_alone_equals_the_same_in_a_padded_batch(model, batch):
    source, mask, target = batch
    together, _ = model(source, mask, target)
    for row, sentence in enumerate(SENTENCES):
        ids = torch.tensor([sentence])
        alone, _ = model(ids, torch.ones_like(ids).bool(), target[row : row + 1])
        assert torch.allclose(alone[0], together[row], atol=1e-6)


def test_what_stands_in_the_padding_changes_nothing(model, batch):
    source, mask, target = batch
    other = torch.where(mask, source, 11)
    assert torch.equal(model(source, mask, target)[0], model(other, mask, target)[0])


def test_nothing_of_the_future_is_read(model, batch):
    source, mask, target = batch
    before, _ = model(source, mask, target)
    for place in range(1, target.shape[1]):
        changed = target.clone()
        changed[:, place:] = 2
        assert torch.equal(model(source, mask, changed)[0][:, :place], before[:, :place])


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_the_encoder_equals_the_cell_by_hand(name):
    torch.manual_seed(1)
    network = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}[name](6, 5, batch_first=True)
    cell = CELLS[name](6, 5)
    for weight in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        getattr(cell, weight).data = getattr(network, f"{weight}_l0").data
    embedded, mask = torch.randn(3, 4, 6), torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]])
    states, last = read(network, embedded, mask.bool())
    for row, length in enumerate(mask.sum(1).tolist()):
        ours, after = unroll(cell, embedded[row : row + 1, :length])
        assert torch.allclose(states[row, :length], ours[0], atol=1e-6)
        assert torch.all(states[row, length:] == 0)
        for part, tensor in zip(after, last.values(), strict=True):
            assert torch.allclose(tensor[row], part[0], atol=1e-6)


def test_the_context_is_the_only_way_from_source_to_target(model, batch):
    source, mask, target = batch
    memory = model.encode(source, mask)
    state = model.start(memory)
    other = {name: torch.zeros_like(tensor) for name, tensor in memory.items()}
    now, _, _ = model.step(target[:, 0], state, memory)
    assert torch.equal(now, model.step(target[:, 0], state, other)[0])


def test_the_head_is_a_dot_product_with_the_word_vectors(model, batch):
    source, mask, target = batch
    memory = model.encode(source, mask)
    log_probs, state, _ = model.step(target[:, 0], model.start(memory), memory)
    by_hand = state["output"] @ model.target_embedding.weight.T + model.bias
    assert torch.allclose(log_probs, by_hand.log_softmax(-1), atol=1e-6)


def test_tying_shares_one_matrix_and_saves_its_parameters():
    tied, untied = (EncoderDecoder(12, 13, "GRU", tied, SIZES) for tied in (True, False))
    count = [sum(p.numel() for p in model.parameters()) for model in (tied, untied)]
    assert count[1] - count[0] == 13 * SIZES.embedding
    assert tied.word_vectors is tied.target_embedding.weight
    assert untied.word_vectors is not untied.target_embedding.weight


def test_states_can_be_reordered(model, batch):
    source, mask, target = batch
    memory = model.encode(source, mask)
    _, state, _ = model.step(target[:, 0], model.start(memory), memory)
    rows = torch.tensor([2, 0])
    there, _, _ = model.step(target[rows, 1], select(state, rows), select(memory, rows))
    assert torch.allclose(there, model.step(target[:, 1], state, memory)[0][rows], atol=1e-6)


def test_temperature_divides_the_logits(model, batch):
    cool, _ = model(*batch, Interventions(temperature=0.5))
    warm, _ = model(*batch)
    assert torch.allclose(cool, (warm * 2).log_softmax(-1), atol=1e-5)


def test_an_unknown_network_is_refused():
    with pytest.raises(ValueError, match="choose from RNN, GRU, LSTM"):
        EncoderDecoder(12, 13, "QRNN")


def test_ratio_one_is_teacher_forcing(model, batch):
    assert torch.allclose(exposure.mixed(model, *batch, ratio=1), model(*batch)[0], atol=1e-6)


def test_ratio_zero_reads_its_own_words(model, batch):
    source, mask, target = batch
    free = exposure.mixed(model, source, mask, target, ratio=0)
    own = torch.cat([target[:, :1], free.argmax(-1)[:, :-1]], dim=1)
    assert torch.allclose(free, model(source, mask, own)[0], atol=1e-6)
    unread = torch.cat([target[:, :1], torch.full_like(target[:, 1:], 12)], dim=1)
    assert torch.equal(free, exposure.mixed(model, source, mask, unread, ratio=0))


def test_the_ratio_is_the_share_of_reference_words_that_are_read():
    torch.manual_seed(0)
    seen = []

    class Spy(EncoderDecoder):
        def step(self, token, state, memory, interventions):
            seen.append(token)
            return super().step(token, state, memory, interventions)

    model = Spy(12, 13, sizes=SIZES).eval()
    model.bias.data[5] = 100.0  # whatever it reads, it says word 5
    source = torch.full((2_000, 2), 4)
    target = torch.full((2_000, 6), 7)
    exposure.mixed(model, source, source > 0, target, 0.75, torch.Generator().manual_seed(1))
    later = torch.stack(seen[1:])
    assert set(later.unique().tolist()) == {5, 7}
    assert float((later == 7).float().mean()) == pytest.approx(0.75, abs=0.02)


def test_the_wrapper_mixes_only_while_it_trains(batch):
    torch.manual_seed(0)
    model = EncoderDecoder(12, 13, sizes=Sizes(6, 5))
    wrapped = exposure.WithRatio(model, 0)
    assert torch.equal(wrapped.train()(*batch)[0], exposure.mixed(model, *batch, ratio=0))
    assert torch.equal(wrapped.eval()(*batch)[0], model(*batch)[0])


@pytest.mark.parametrize("ratio", [-0.1, 1.1, float("nan")])
def test_a_ratio_out_of_range_is_refused(batch, ratio):
    model = EncoderDecoder(12, 13, sizes=SIZES)
    with pytest.raises(ValueError, match="expected 0 to 1"):
        exposure.mixed(model, *batch, ratio=ratio)
    with pytest.raises(ValueError, match="expected 0 to 1"):
        exposure.WithRatio(model, ratio)

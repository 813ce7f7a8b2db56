"""The training loop learns, can be repeated and stops; decoding writes what the model says."""

import math
import random
from dataclasses import dataclass

import pytest
import torch

from seq2bert.batching import make_batches
from seq2bert.decoding import forced_maps, greedy, translate
from seq2bert.metrics import alignment_score, exact_match
from seq2bert.recurrent import Sizes, with_attention, without_attention
from seq2bert.training import Settings, cross_entropy, fit, mean_loss
from seq2bert.vocabulary import Vocabulary

SIZES = Sizes(embedding=12, hidden=16, energy=16, dropout=0.0)


@dataclass(frozen=True)
class Pair:
    """A toy: each word is copied in capitals; the alignment is the diagonal."""

    source: tuple[str, ...]

    @property
    def target(self):
        return tuple(word.upper() for word in self.source)

    @property
    def sure(self):
        return frozenset((i, i) for i in range(len(self.source)))

    possible = sure


def toy(count, seed=0):
    draw = random.Random(seed)
    return [Pair(tuple(draw.choices("abcdef", k=draw.randint(1, 6)))) for _ in range(count)]


PAIRS = toy(800)
SOURCE = Vocabulary.build(pair.source for pair in PAIRS)
TARGET = Vocabulary.build(pair.target for pair in PAIRS)
TRAIN = make_batches(PAIRS[:700], SOURCE, TARGET, batch_size=16)
VALID = make_batches(PAIRS[700:], SOURCE, TARGET, batch_size=16)


def new_model(maker=with_attention, seed=0):
    torch.manual_seed(seed)
    return maker(len(SOURCE), len(TARGET), SIZES)


def train(seed):
    model = new_model(seed=seed)
    settings = Settings(epochs=12, checks=1, learning_rate=2e-2, patience=12, seed=seed)
    return model, fit(model, TRAIN, VALID, settings, device="cpu")


@pytest.fixture(scope="module")
def trained():
    return train(seed=0)


def test_loss_of_a_worked_example():
    """Three real words with probabilities 1/2, 1/4 and 1; a pad with probability 1/8."""
    probs = torch.tensor([[[0.5, 0.5], [0.25, 0.75]], [[1.0, 1e-9], [0.125, 0.875]]])
    target, mask = torch.tensor([[0, 0], [0, 0]]), torch.tensor([[True, True], [True, False]])
    expected = (math.log(2) + math.log(4)) / 3
    assert cross_entropy(probs.log(), target, mask).item() == pytest.approx(expected)


def test_padding_changes_neither_loss_nor_gradient():
    def loss_and_gradient(extra):
        logits = torch.linspace(-1, 1, 12).view(1, 3, 4).requires_grad_()
        padded = torch.cat([logits, torch.ones(1, extra, 4)], dim=1)
        target = torch.cat([torch.tensor([[1, 2, 3]]), torch.zeros(1, extra).long()], dim=1)
        mask = torch.arange(3 + extra).unsqueeze(0) < 3
        loss = cross_entropy(padded.log_softmax(-1), target, mask)
        loss.backward()
        return loss.item(), logits.grad

    (plain, gradient), (padded, same) = loss_and_gradient(0), loss_and_gradient(10)
    assert plain == padded
    assert torch.equal(gradient, same)


def test_loss_equals_torch_cross_entropy():
    torch.manual_seed(0)
    logits, target = torch.randn(3, 5, 7), torch.randint(7, (3, 5))
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0]]).bool()
    expected = torch.nn.functional.cross_entropy(
        logits.transpose(1, 2), target.masked_fill(~mask, -100), ignore_index=-100
    )
    assert torch.allclose(cross_entropy(logits.log_softmax(-1), target, mask), expected)


def test_loss_of_a_batch_of_padding_alone_is_zero_and_differentiable():
    logits = torch.zeros(1, 2, 3, requires_grad=True)
    nothing = torch.zeros(1, 2, dtype=torch.bool)
    loss = cross_entropy(logits.log_softmax(-1), torch.zeros(1, 2, dtype=torch.long), nothing)
    loss.backward()
    assert loss.item() == 0
    assert (logits.grad == 0).all()


def test_the_alignment_of_the_toy_is_the_diagonal(trained):
    """The median of three seeds: which of them aligns worse depends on the processor."""
    models = [trained[0], *(train(seed)[0] for seed in (1, 2))]
    errors = [alignment_score(forced_maps(m, PAIRS[700:], SOURCE, TARGET)) for m in models]
    assert sorted(error.error_rate for error in errors)[1] < 0.2


def test_the_toy_is_learnt(trained):
    model, history = trained
    written = translate(model, [p.source for p in PAIRS[700:]], SOURCE, TARGET, batch_size=7)
    references = [pair.target for pair in PAIRS[700:]]
    assert exact_match(hypotheses=[t.tokens for t in written], references=references) > 0.9
    assert history[-1].valid_loss < history[0].valid_loss / 2


def test_the_same_seed_gives_the_same_model_and_another_seed_another():
    def weights(seed):
        model = new_model()
        fit(model, TRAIN[:4], VALID[:1], Settings(epochs=1, checks=1, seed=seed), device="cpu")
        return torch.cat([p.flatten() for p in model.parameters()])

    assert torch.equal(weights(1), weights(1))
    assert not torch.equal(weights(1), weights(2))


def test_the_best_state_is_kept():
    """Weights are spoilt after the third of four checks, so that the later ones are worse."""
    model, losses = new_model(), []

    def spoil(model, check):
        losses.append(mean_loss(model, VALID))
        if len(losses) == 3:
            model.output.weight.data.zero_()

    settings = Settings(epochs=2, checks=2, learning_rate=1e-2, patience=4)
    history = fit(model, TRAIN, VALID, settings, device="cpu", after_check=spoil)
    assert losses == [check.valid_loss for check in history]
    assert losses[-1] > min(losses) == losses[2]
    assert mean_loss(model, VALID) == pytest.approx(losses[2])
    assert not model.training


def test_training_stops_when_nothing_gets_better_and_when_told():
    stuck = Settings(epochs=50, learning_rate=1e-12, patience=2)
    assert len(fit(new_model(), TRAIN[:1], VALID[:1], stuck, device="cpu")) <= 10
    told = fit(new_model(), TRAIN[:1], VALID[:1], device="cpu", after_check=lambda m, c: True)
    assert len(told) == 1


def test_a_loss_that_is_not_a_number_stops_with_a_reason():
    model = new_model()
    model.output.bias.data.fill_(math.nan)
    with pytest.raises(ValueError, match="not a number after 1 batches; lower the learning rate"):
        fit(model, TRAIN[:1], VALID[:1], device="cpu")


@pytest.mark.parametrize(
    "setting",
    [{"epochs": 0}, {"checks": 0}, {"learning_rate": 0.0}, {"warmup": 1.0}, {"clip": -1.0}],
)
def test_settings_out_of_range_are_refused(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        Settings(**setting)


def test_nothing_to_train_on_is_refused():
    with pytest.raises(ValueError, match="0 training and 7 validation"):
        fit(new_model(), [], VALID)


@pytest.mark.parametrize("maker", [with_attention, without_attention])
def test_a_sentence_alone_and_in_a_batch_translate_alike(maker):
    model = new_model(maker).eval()
    sources = [pair.source for pair in PAIRS[:20]]
    together = greedy(model, sources, SOURCE, TARGET, max_length=8)
    for source, expected in zip(sources, together, strict=True):
        alone = greedy(model, [source], SOURCE, TARGET, max_length=8)[0]
        assert alone.tokens == expected.tokens
        assert alone.finished == expected.finished
        assert alone.log_prob == pytest.approx(expected.log_prob, abs=1e-4)
        for kind, weights in alone.attention.items():
            assert torch.allclose(weights, expected.attention[kind], atol=1e-6)


def test_greedy_takes_the_likeliest_token_until_the_end_of_the_sentence(trained):
    model, _ = trained
    done = greedy(model, [("b", "a", "d")], SOURCE, TARGET)[0]
    assert done.tokens == ("B", "A", "D")
    assert done.finished
    ids = torch.tensor([[TARGET.bos, *TARGET.encode(done.tokens)]])
    source = torch.tensor([SOURCE.encode(done.source)])
    log_probs, _ = model(source, torch.ones_like(source, dtype=torch.bool), ids)
    best, chosen = log_probs[0].max(-1)
    assert TARGET.decode(chosen.tolist()) == (*done.tokens, "<eos>")
    assert done.log_prob == pytest.approx(best.sum().item(), abs=1e-4)
    assert done.attention["cross"].shape == (1, 1, 4, 3)


def test_a_translation_that_reaches_the_limit_says_so(trained):
    model, _ = trained
    cut = greedy(model, [("b", "a", "d"), ("a",)], SOURCE, TARGET, max_length=2)
    assert [t.tokens for t in cut] == [("B", "A"), ("A",)]
    assert [t.finished for t in cut] == [False, True]


def test_labels_of_a_map_are_the_written_and_the_read_tokens(trained):
    attention = greedy(trained[0], [("b", "a", "d")], SOURCE, TARGET)[0].map()
    assert attention.query_tokens == ("B", "A", "D")
    assert attention.key_tokens == ("b", "a", "d")


def test_unknown_words_are_translated_too(trained):
    assert greedy(trained[0], [("a", "never-seen")], SOURCE, TARGET)[0].tokens


@pytest.mark.parametrize("sources", [[()], ["abc"], [("a",), ()]])
def test_empty_and_untokenised_sources_are_refused(trained, sources):
    with pytest.raises(ValueError, match="expected a list of tokens, not empty"):
        greedy(trained[0], sources, SOURCE, TARGET)


def test_maps_of_a_model_without_attention_are_refused():
    with pytest.raises(ValueError, match="has no 'cross' attention"):
        forced_maps(new_model(without_attention).eval(), PAIRS[:2], SOURCE, TARGET)


def test_forced_maps_carry_gold_and_come_in_order(trained):
    maps = forced_maps(trained[0], PAIRS[:30], SOURCE, TARGET, batch_size=4)
    for pair, attention in zip(PAIRS, maps, strict=False):
        assert attention.key_tokens == pair.source
        assert attention.query_tokens == pair.target
        assert attention.sure == pair.sure

"""What explains a translation: erasure, gradients, roll-out, ranks, other weights."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
import torch
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from torch import nn

from seq2bert import adversarial, corpus, explaining, given_weights, rank_agreement
from seq2bert.attention_map import AttentionMap
from seq2bert.recurrent import Sizes as RecurrentSizes
from seq2bert.recurrent import with_attention, without_attention
from seq2bert.transformer import Sizes, Transformer
from seq2bert.translator import Interventions
from seq2bert.vocabulary import Vocabulary

WORDS = Vocabulary(["a", "b", "c", "d"])
PAIRS = [
    corpus.Pair(tuple(source), tuple(target), frozenset(), frozenset())
    for source, target in (("abc", "ca"), ("dbac", "bbda"), ("ba", "ab"))
]


def recurrent():
    torch.manual_seed(0)
    sizes = RecurrentSizes(embedding=6, hidden=5, energy=4)
    return with_attention(len(WORDS), len(WORDS), sizes).eval()


def transformer():
    torch.manual_seed(0)
    return Transformer(len(WORDS), len(WORDS), Sizes(width=8, heads=2, hidden=12)).eval()


both = pytest.mark.parametrize("make", [recurrent, transformer])


class WordForWord(nn.Module):
    """Writes word t after a look at source word t, and at no other; without one it has no idea."""

    def __init__(self):
        super().__init__()
        self.source_embedding = nn.Embedding(len(WORDS), len(WORDS))

    def forward(self, source, source_mask, target_in):
        logits = self.source_embedding(source) * source_mask.unsqueeze(-1)
        missing = max(target_in.shape[1] - source.shape[1], 0)
        logits = nn.functional.pad(logits, (0, 0, 0, missing))
        return logits[:, : target_in.shape[1]].log_softmax(-1), {}


def word_for_word():
    """The logits of a word are 2 for itself and 0 for all others; `<unk>` has no opinion."""
    model = WordForWord().eval()
    table = 2 * torch.eye(len(WORDS))
    table[WORDS.unk] = 0
    model.source_embedding.weight = nn.Parameter(table)
    return model


def same(*words):
    """A pair whose target says what the source says, and a last source word more."""
    return corpus.Pair((*words, "d"), words, frozenset(), frozenset())


# --- erasure ------------------------------------------------------------------------------------


def test_erasure_by_hand():
    (found,) = explaining.erasure(
        word_for_word(), [same("a", "b")], WORDS, WORDS, explaining.replaced_by(WORDS.unk)
    )
    certain = 2 - math.log(math.exp(2) + len(WORDS) - 1)
    fall = certain - math.log(1 / len(WORDS))
    assert found.numpy() == pytest.approx(np.array([[fall, 0, 0], [0, fall, 0]]), abs=1e-6)


def test_a_word_that_leaves_lets_the_others_move_up():
    (found,) = explaining.erasure(
        word_for_word(), [same("a", "b")], WORDS, WORDS, explaining.left_out
    )
    # without a, b answers the first question and d the second: 2 less in the logits of both
    assert found.numpy() == pytest.approx(np.array([[2, 0, 0], [2, 2, 0]]), abs=1e-6)


@both
def test_what_is_left_out_is_as_if_it_had_never_been_there(make):
    model, (pair, *_) = make(), PAIRS
    (found,) = explaining.erasure(model, [pair], WORDS, WORDS, explaining.left_out)

    def log_probs(source):
        ids = torch.tensor([WORDS.encode(source)])
        target = torch.tensor([[WORDS.bos, *WORDS.encode(pair.target)]])
        with torch.no_grad():
            every, _ = model(ids, torch.ones_like(ids, dtype=torch.bool), target)
        return every[0, :-1].gather(1, target[0, 1:, None])[:, 0]

    fall = log_probs(pair.source) - log_probs(("a", "c"))
    assert torch.allclose(found[:, 1], fall, atol=1e-5)


def test_hiding_the_last_word_is_leaving_it_out():
    pairs = [PAIRS[0]]
    (hidden,) = explaining.erasure(transformer(), pairs, WORDS, WORDS, explaining.hidden)
    (left_out,) = explaining.erasure(transformer(), pairs, WORDS, WORDS, explaining.left_out)
    assert torch.allclose(hidden[:, -1], left_out[:, -1], atol=1e-5)
    # the words after a word in the middle move up in one of the two
    assert not torch.allclose(hidden[:, 0], left_out[:, 0], atol=1e-3)


def test_a_recurrent_encoder_cannot_be_made_to_overlook_a_word():
    with pytest.raises(ValueError, match="leave the words out"):
        explaining.erasure(recurrent(), PAIRS, WORDS, WORDS, explaining.hidden)


HOW = [explaining.replaced_by(WORDS.unk), explaining.left_out]


@both
@pytest.mark.parametrize("erase", HOW, ids=["replaced", "left out"])
def test_sentences_in_a_batch_are_erased_as_each_alone(make, erase):
    model = make()
    together = explaining.erasure(model, PAIRS, WORDS, WORDS, erase)
    for pair, found in zip(PAIRS, together, strict=True):
        (alone,) = explaining.erasure(model, [pair], WORDS, WORDS, erase)
        assert found.shape == (len(pair.target), len(pair.source))
        assert torch.allclose(found, alone, atol=1e-5)
        assert found.abs().max() > 1e-4


def test_a_transformer_that_does_not_read_the_source_owes_it_nothing():
    model = transformer()
    for layer in model.decoder:
        nn.init.zeros_(layer.cross_attention.output.weight)
    for erase in HOW:
        for found in explaining.erasure(model, PAIRS, WORDS, WORDS, erase):
            assert torch.count_nonzero(found) == 0
    for found in explaining.gradients(model, PAIRS, WORDS, WORDS):
        assert torch.count_nonzero(found) == 0


def test_erasure_refuses_a_model_that_is_being_trained():
    with pytest.raises(ValueError, match=r"model\.eval"):
        explaining.erasure(recurrent().train(), PAIRS, WORDS, WORDS, explaining.left_out)


def test_erasure_refuses_a_sentence_of_one_word():
    pair = corpus.Pair(("a",), ("b",), frozenset(), frozenset())
    with pytest.raises(ValueError, match="nothing is left"):
        explaining.erasure(recurrent(), [pair], WORDS, WORDS, explaining.left_out)


# --- gradients ----------------------------------------------------------------------------------


def test_gradients_by_hand():
    (found,) = explaining.gradients(word_for_word(), [same("a", "b")], WORDS, WORDS)
    # d/de_w log p(y) = [w = y] - p_w, and e is 2 at y and 0 elsewhere: 2 (1 - p_y)
    slope = 2 * (1 - math.exp(2) / (math.exp(2) + len(WORDS) - 1))
    assert found.tolist() == [pytest.approx([slope, 0, 0]), pytest.approx([0, slope, 0])]


@both
def test_gradients_are_what_a_longer_embedding_changes(make):
    model, pair = make().double(), PAIRS[1]
    (found,) = explaining.gradients(model, [pair], WORDS, WORDS)
    source = torch.tensor([WORDS.encode(pair.source)])
    target = torch.tensor([[WORDS.bos, *WORDS.encode(pair.target)]])

    def log_probs(place, factor):
        def stretch(module, inputs, output):
            longer = output.clone()
            longer[:, place] *= factor
            return longer

        handle = model.source_embedding.register_forward_hook(stretch)
        with torch.no_grad():
            every, _ = model(source, torch.ones_like(source, dtype=torch.bool), target)
        handle.remove()
        return every[0, :-1].gather(1, target[0, 1:, None])[:, 0]

    for place in range(len(pair.source)):
        change = (log_probs(place, 1 + 1e-5) - log_probs(place, 1 - 1e-5)) / 2e-5
        assert torch.allclose(found[:, place], change.abs(), rtol=1e-4, atol=1e-8)
        assert found[:, place].max() > 1e-4


@both
def test_gradients_in_a_batch_are_those_of_each_alone(make):
    model = make()
    for pair, found in zip(PAIRS, explaining.gradients(model, PAIRS, WORDS, WORDS), strict=True):
        (alone,) = explaining.gradients(model, [pair], WORDS, WORDS)
        assert found.shape == (len(pair.target), len(pair.source))
        assert torch.allclose(found, alone, atol=1e-5)


@both
def test_gradients_leave_the_model_as_it_was(make):
    model = make()
    explaining.gradients(model, PAIRS, WORDS, WORDS)
    assert all(parameter.grad is None for parameter in model.parameters())
    assert not model.source_embedding._forward_hooks


def test_gradients_need_an_embedding_of_the_source():
    with pytest.raises(ValueError, match="source_embedding"):
        explaining.gradients(nn.Identity().eval(), PAIRS, WORDS, WORDS)


# --- weights in one map -------------------------------------------------------------------------


def cross(weights, keys="xyz"):
    weights = torch.tensor(weights)
    return AttentionMap(weights, tuple("uv")[: weights.shape[-2]], tuple(keys), "cross")


def encoder(*layers, keys="xyz"):
    return AttentionMap(torch.tensor(layers)[:, None], tuple(keys), tuple(keys), "encoder")


def test_average_over_layers_and_heads():
    found = explaining.averaged(cross([[[[1.0, 0]], [[0, 1.0]]], [[[0.5, 0.5]], [[1.0, 0]]]], "xy"))
    assert found.weights.tolist() == [[[[0.625, 0.375]]]]


IDENTITY = torch.eye(3).tolist()


def test_roll_out_through_words_that_keep_to_themselves_is_cross_attention():
    weights = cross([[[[0.5, 0.25, 0.25]]]])
    found = explaining.rollout(weights, encoder(IDENTITY, IDENTITY))
    assert found.weights.tolist() == weights.weights.tolist()


def test_roll_out_by_hand():
    # layer 1: each of the two words reads x; layer 2: each reads y
    found = explaining.rollout(
        cross([[[[1.0, 0.0]]]], "xy"),
        encoder([[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]], keys="xy"),
    )
    # A_1 = [[1, 0], [.5, .5]], A_2 = [[.5, .5], [0, 1]]; the first row of A_2 A_1
    assert found.weights.tolist() == [[[[0.75, 0.25]]]]


def test_rows_of_a_roll_out_sum_to_one():
    chance = torch.Generator().manual_seed(0)
    heads = torch.randn(2, 3, 3, 3, generator=chance).softmax(-1)
    weights = torch.randn(2, 3, 2, 3, generator=chance).softmax(-1)
    found = explaining.rollout(
        AttentionMap(weights, ("u", "v"), tuple("xyz"), "cross"),
        AttentionMap(heads, tuple("xyz"), tuple("xyz"), "encoder"),
    )
    assert found.weights.sum(-1) == pytest.approx(np.ones((1, 1, 2)))


def test_roll_out_refuses_maps_of_two_sentences():
    with pytest.raises(ValueError, match="one sentence"):
        explaining.rollout(cross([[[[0.5, 0.25, 0.25]]]]), encoder(IDENTITY, keys="xyy"))


def test_roll_out_refuses_maps_in_the_wrong_order():
    with pytest.raises(ValueError, match="in this order"):
        explaining.rollout(encoder(IDENTITY), cross([[[[0.5, 0.25, 0.25]]]]))


def test_shares_are_what_is_positive():
    like = cross([[[[0.5, 0.5], [1.0, 0.0]]]], "xy")
    found = explaining.as_shares(torch.tensor([[3.0, 1.0], [-1.0, -2.0]]), like)
    assert found.weights.tolist() == [[[[0.75, 0.25], [0.0, 0.0]]]]


# --- agreement ----------------------------------------------------------------------------------


def test_tau_by_hand():
    # five of six pairs of keys stand in the same order, one in the opposite one
    found = rank_agreement.tau_b(torch.tensor([1.0, 2, 3, 4]), torch.tensor([1.0, 2, 4, 3]))
    assert found.item() == pytest.approx(4 / 6)


def test_tau_with_a_tie_by_hand():
    found = rank_agreement.tau_b(torch.tensor([1.0, 1, 2]), torch.tensor([1.0, 2, 3]))
    assert found.item() == pytest.approx(2 / math.sqrt(2 * 3))


scores = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=9)


@drawn(scores)
@settings(max_examples=200, deadline=None)
def test_tau_is_that_of_scipy(pairs):
    first, second = torch.tensor(pairs, dtype=torch.float64).T
    found = rank_agreement.tau_b(first, second).item()
    expected = scipy.stats.kendalltau(first.numpy(), second.numpy()).statistic
    assert found == pytest.approx(expected, nan_ok=True)


def test_there_is_no_order_where_all_are_tied():
    found = rank_agreement.tau_b(torch.tensor([[1.0, 1], [1, 2]]), torch.tensor([[1.0, 2], [1, 2]]))
    assert found.isnan().tolist() == [True, False]


def test_who_is_first():
    first = torch.tensor([[0.6, 0.4], [0.5, 0.5], [0.1, 0.9]])
    second = torch.tensor([[5.0, 1.0], [0.0, -1.0], [3.0, 2.0]])
    assert rank_agreement.same_first(first, second).tolist() == [1, 1, 0]


def test_the_first_source_word_against_gold():
    pair = corpus.Pair(
        tuple("abc"),
        tuple("ABC"),
        sure=frozenset({corpus.Link(0, 1), corpus.Link(1, 0)}),
        possible=frozenset({corpus.Link(0, 1), corpus.Link(1, 0), corpus.Link(0, 2)}),
    )
    table = torch.tensor([[0.1, 0.2, 0.7], [0.1, 0.8, 0.1], [1.0, 0.0, 0.0]])
    found = rank_agreement.on_gold(table, pair)
    # possible is enough; b is wrong; the third has no sure link
    assert found[:2].tolist() == [1, 0]
    assert found[2].isnan()


def test_gold_of_another_pair_is_refused():
    with pytest.raises(ValueError, match="target and"):
        rank_agreement.on_gold(torch.zeros(3, 2), same("a", "b"))


def test_an_interval_is_about_words_not_sentences():
    found = rank_agreement.interval([torch.ones(3), torch.zeros(1), torch.tensor([torch.nan])])
    assert (found.mean, found.words) == (0.75, 4)
    assert (found.low, found.high) == (0, 1)


def test_an_interval_is_as_wide_as_theory_says():
    values = (torch.arange(400) % 4 == 0).float()
    found = rank_agreement.interval(list(values[:, None]), repeats=4000)
    expected = 1.96 * math.sqrt(0.25 * 0.75 / 400)
    assert found.mean == 0.25
    assert found.high - found.mean == pytest.approx(expected, rel=0.08)
    assert found.mean - found.low == pytest.approx(expected, rel=0.08)


def test_words_that_say_the_same_are_one_witness():
    values = (torch.arange(200) % 2).float()
    once = rank_agreement.interval(list(values[:, None]))
    four_times = rank_agreement.interval(list(values[:, None].expand(-1, 4)))
    assert (four_times.low, four_times.high) == (once.low, once.high)


def test_an_interval_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no number"):
        rank_agreement.interval([torch.tensor([torch.nan])])


def test_words_by_phenomenon():
    pairs = [corpus.translate(("the", "red", "car", "stops", "."))] * 2
    values = [torch.arange(float(len(pair.target))) for pair in pairs]
    found = rank_agreement.by_phenomenon(values, pairs)
    assert next(iter(found)) == rank_agreement.EVERYWHERE
    assert set(found) - {rank_agreement.EVERYWHERE} == set(pairs[0].spans)
    for name, span in pairs[0].spans.items():
        assert found[name].mean == pytest.approx(np.mean(span))
        assert found[name].words == 2 * len(span)


def test_rare_phenomena_are_left_out():
    pair = corpus.translate(("the", "red", "car", "stops", "."))
    found = rank_agreement.by_phenomenon([torch.ones(len(pair.target))], [pair], fewest=100)
    assert set(found) == {rank_agreement.EVERYWHERE}


# --- other weights, same answer -----------------------------------------------------------------


def test_weights_without_a_place():
    weights = torch.tensor([[[[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]]]])
    found = given_weights.without(weights, 0)
    assert found.flatten().tolist() == pytest.approx([0, 0.6, 0.4, 0, 0, 0])


def test_what_is_read_is_what_a_recurrent_step_owes():
    """By hand: the context without a place, given to the rest of the step."""
    model, pair = recurrent(), PAIRS[1]
    (found,) = given_weights.unread(model, [pair], WORDS, WORDS)
    step = given_weights.steps_of(model, [pair], WORDS, WORDS)[2]
    word = WORDS.encode(pair.target)[2]
    for place in range(len(pair.source)):
        kept = [other for other in range(len(pair.source)) if other != place]
        weights = step.weights[0, 0, 0, kept] / step.weights[0, 0, 0, kept].sum()
        context = (weights @ step.memory["annotations"][0, kept])[None]
        embedded = model.target_embedding(step.token)
        hidden = model.decoder(torch.cat([embedded, context], -1), step.state["hidden"])
        log_probs = model.logits(hidden, context, embedded).log_softmax(-1)
        fall = step.log_probs[0, word] - log_probs[0, word]
        assert found[2, place].item() == pytest.approx(fall.item(), abs=1e-5)


@both
def test_what_is_read_in_a_batch_is_what_is_read_alone(make):
    model = make()
    together = given_weights.unread(model, PAIRS, WORDS, WORDS)
    for pair, found in zip(PAIRS, together, strict=True):
        (alone,) = given_weights.unread(model, [pair], WORDS, WORDS)
        assert found.shape == (len(pair.target), len(pair.source))
        assert torch.allclose(found, alone, atol=1e-5)
        assert found.abs().max() > 1e-4


def test_divergence_and_variation_by_hand():
    p, q = torch.tensor([[1.0, 0], [1, 0], [0.2, 0.8]]), torch.tensor([[0, 1.0], [0.5, 0.5]])
    q = torch.cat([q, p[2:]])
    assert adversarial.total_variation(p, q).tolist() == [1.0, 0.5, 0.0]
    middle = 0.5 * math.log(4 / 3) + 0.25 * math.log(2 / 3) + 0.25 * math.log(2)
    assert adversarial.jensen_shannon(p, q).tolist() == pytest.approx([math.log(2), middle, 0])


@both
def test_its_own_weights_give_the_answer_of_a_model(make):
    for step in given_weights.steps_of(make(), PAIRS, WORDS, WORDS):
        assert torch.allclose(step.read_with(step.weights), step.log_probs, atol=1e-6)


@both
def test_given_weights_are_the_weights_that_read(make):
    """Uniform weights are what a scale of 0 for all energies gives, in another way.

    The scale reaches the decoder's self-attention too; in the first step that has one key only.
    """
    model = make()
    step = given_weights.steps_of(model, PAIRS, WORDS, WORDS)[0]
    mask = step.memory["mask"]
    uniform = (mask / mask.sum(1, keepdim=True))[:, None, None].expand_as(step.weights)
    found = step.read_with(uniform)
    expected, _, _ = model.step(step.token, step.state, step.memory, Interventions(scale=0.0))
    assert torch.allclose(found, expected, atol=1e-6)
    assert not torch.allclose(found, step.log_probs, atol=1e-4)


@both
def test_a_model_has_its_own_weights_again_even_after_an_error(make):
    model = make()
    step = given_weights.steps_of(model, PAIRS, WORDS, WORDS)[1]
    before = [name for name, _ in model.named_modules()]
    with pytest.raises(RuntimeError, match="on the way"), given_weights.given(model, step.weights):
        raise RuntimeError("on the way")
    assert [name for name, _ in model.named_modules()] == before
    log_probs, _, _ = model.step(step.token, step.state, step.memory)
    assert torch.allclose(log_probs, step.log_probs, atol=1e-6)


@both
def test_steps_are_those_of_teacher_forcing(make):
    model, pair = make(), PAIRS[1]
    steps = given_weights.steps_of(model, PAIRS, WORDS, WORDS)
    source = torch.tensor([WORDS.encode(pair.source)])
    target = torch.tensor([[WORDS.bos, *WORDS.encode(pair.target)]])
    with torch.no_grad():
        expected, attention = model(source, torch.ones_like(source, dtype=torch.bool), target)
    for place in range(len(pair.target)):
        assert torch.allclose(steps[place].log_probs[1], expected[0, place], atol=1e-5)
        found, whole = steps[place].weights[1], attention["cross"][0, :, :, place]
        assert torch.allclose(found[..., : len(pair.source)], whole, atol=1e-5)


def test_every_word_of_the_references_is_a_step():
    steps = given_weights.steps_of(recurrent(), PAIRS, WORDS, WORDS)
    lengths = torch.stack([step.real for step in steps]).sum(0).tolist()
    assert lengths == [len(pair.target) for pair in PAIRS]


def test_weights_are_refused_by_a_model_that_has_none():
    model = without_attention(len(WORDS), len(WORDS)).eval()
    with (
        pytest.raises(ValueError, match="cannot be given"),
        given_weights.given(model, torch.ones(1, 1, 1, 1)),
    ):
        pass


@both
def test_weights_of_other_layers_and_heads_are_refused(make):
    with (
        pytest.raises(ValueError, match="this model has"),
        given_weights.given(make(), torch.ones(1, 3, 5, 2)),
    ):
        pass


@both
def test_an_adversary_keeps_the_limit_and_looks_at_real_words_only(make):
    limit = 0.02
    for step in given_weights.steps_of(make(), PAIRS, WORDS, WORDS):
        found = adversarial.adversary(step, limit, rounds=20)
        assert (found.change <= limit).all()
        assert (found.distance > 0.01).all()
        assert torch.allclose(found.weights.sum(-1), torch.ones(()), atol=1e-5)
        assert (
            found.weights[~step.memory["mask"][:, None, None].expand_as(found.weights)] == 0
        ).all()
        again = adversarial.measured(step, found.weights)
        assert torch.allclose(again.distance, found.distance, atol=1e-6)
        assert torch.allclose(again.change, found.change, atol=1e-6)


def test_where_all_annotations_are_alike_any_weights_will_do():
    step = given_weights.steps_of(recurrent(), PAIRS[:1], WORDS, WORDS)[0]
    alike = step.memory["annotations"][:, :1].expand_as(step.memory["annotations"])
    step = replace(step, memory=step.memory | {"annotations": alike})
    step = replace(step, log_probs=step.read_with(step.weights).detach())
    found = adversarial.adversary(step, limit=0.001)
    farthest = adversarial.jensen_shannon(step.weights[0, 0].expand(3, 3), torch.eye(3)).max()
    assert found.distance.item() == pytest.approx(farthest.item(), abs=0.01)


def test_an_adversary_finds_what_a_search_of_all_weights_finds():
    model = recurrent()
    # attention that matters: a small move may not go unnoticed
    for parameter in model.parameters():
        parameter.data *= 3
    step = given_weights.steps_of(model, PAIRS[2:], WORDS, WORDS)[0]
    limit, best = 0.05, 0.0
    for share in torch.linspace(0, 1, 501):
        tried = adversarial.measured(step, torch.stack([share, 1 - share])[None, None, None])
        if tried.change <= limit:
            best = max(best, tried.distance.item())
    found = adversarial.adversary(step, limit, rounds=100)
    assert 0.001 < best < 0.2
    assert found.distance.item() == pytest.approx(best, rel=0.1)


def test_a_limit_is_a_share():
    step = given_weights.steps_of(recurrent(), PAIRS, WORDS, WORDS)[0]
    with pytest.raises(ValueError, match="between 0 and 1"):
        adversarial.adversary(step, limit=0.0)

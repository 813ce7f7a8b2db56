"""A learned question over items, over features of items, over words and then sentences."""

import pytest
import torch
from torch import nn

from seq2bert.attention.hierarchical import HierarchicalAttention
from seq2bert.attention.pooling import (
    AttentionPooling,
    FeaturePooling,
    MeanPooling,
    feature_softmax,
)


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.fixture(params=[AttentionPooling, FeaturePooling])
def pooling(request):
    torch.manual_seed(1)
    return request.param(4, 6)


MASK = torch.tensor([[True, True, False, False], [True, True, True, True]])


def test_pooling_by_hand():
    # tanh(h) is nearly h for small h; here W = 1, b = 0, u = 1 and energies tanh(0), tanh(ln 2)
    pooling = AttentionPooling(1, 1)
    for parameter in pooling.parameters():
        nn.init.ones_(parameter)
    nn.init.zeros_(pooling.hidden.bias)
    items = torch.tensor([[0.0], [torch.log(torch.tensor(2.0))]])
    # tanh(ln 2) = (2 - 1/2) / (2 + 1/2) = 0.6
    first = 1 / (1 + torch.exp(torch.tensor(0.6)))
    mean, weights = pooling(items, torch.tensor([True, True]))
    assert torch.allclose(weights, torch.stack([first, 1 - first]))
    assert torch.allclose(mean, (1 - first) * items[1])


def test_each_feature_has_a_softmax_of_its_own_over_the_items():
    energy = torch.tensor([[0.0, 0.0], [torch.log(torch.tensor(3.0)), 0.0], [9.0, 9.0]])
    weights = feature_softmax(energy, torch.tensor([True, True, False]))
    assert torch.allclose(weights, torch.tensor([[0.25, 0.5], [0.75, 0.5], [0.0, 0.0]]))


def test_with_equal_rows_of_the_last_matrix_all_features_share_their_weights():
    torch.manual_seed(2)
    one, many = AttentionPooling(4, 6), FeaturePooling(4, 6)
    many.hidden.load_state_dict(one.hidden.state_dict())
    many.questions.weight.data = one.question.data.expand(4, 6)
    items = numbers(2, 4, 4)
    single, single_weights = one(items, MASK)
    multi, multi_weights = many(items, MASK)
    assert torch.allclose(multi, single, atol=1e-6)
    assert torch.allclose(multi_weights, single_weights.unsqueeze(-1).expand(2, 4, 4), atol=1e-6)


def test_masked_items_have_weight_0_and_no_gradient(pooling):
    items = numbers(2, 4, 4).requires_grad_()
    mean, weights = pooling(items, MASK)
    mean.sum().backward()
    assert (weights[0, 2:] == 0).all()
    assert (items.grad[0, 2:] == 0).all()
    assert (items.grad[0, :2] != 0).any()


def test_the_mean_is_attention_whose_question_is_0():
    torch.manual_seed(4)
    undecided = AttentionPooling(4, 6)
    nn.init.zeros_(undecided.question)
    items = numbers(2, 4, 4)
    for ours, expected in zip(MeanPooling()(items, MASK), undecided(items, MASK), strict=True):
        assert torch.allclose(ours, expected, atol=1e-6)
    nothing = torch.zeros(1, 4, dtype=torch.bool)
    assert all((found == 0).all() for found in MeanPooling()(items[:1], nothing))


def test_no_items_at_all_give_zeros_and_finite_gradients(pooling):
    items = numbers(1, 3, 4).requires_grad_()
    mean, weights = pooling(items, torch.zeros(1, 3, dtype=torch.bool))
    mean.sum().backward()
    assert (mean == 0).all()
    assert (weights == 0).all()
    assert (items.grad == 0).all()
    assert all(p.grad is None or p.grad.isfinite().all() for p in pooling.parameters())


def test_alone_equals_in_a_padded_batch(pooling):
    items = numbers(2, 4, 4)
    alone, _ = pooling(items[0, :2], MASK[0, :2])
    assert torch.allclose(pooling(items, MASK)[0][0], alone, atol=1e-6)


def test_the_order_of_the_items_does_not_matter(pooling):
    items, order = numbers(1, 4, 4), torch.tensor([2, 0, 3, 1])
    mean, weights = pooling(items, MASK[1:])
    permuted, permuted_weights = pooling(items[:, order], MASK[1:])
    assert torch.allclose(permuted, mean, atol=1e-6)
    assert torch.allclose(permuted_weights, weights[:, order], atol=1e-6)


@pytest.fixture
def levels():
    torch.manual_seed(3)
    return HierarchicalAttention(4, 6)


# two texts: sentences of 3 and 1 words and a padded one; sentences of 1, 2 and 3 words
WORDS = torch.tensor(
    [
        [[True, True, True], [True, False, False], [False, False, False]],
        [[True, False, False], [True, True, False], [True, True, True]],
    ]
)


def test_the_text_is_made_of_sentences_and_they_of_words(levels):
    words = numbers(2, 3, 3, 4)
    found = levels(words, WORDS)
    sentences = (found.words.unsqueeze(-1) * words).sum(dim=2)
    assert torch.allclose(found.text, (found.sentences.unsqueeze(-1) * sentences).sum(dim=1))
    assert torch.allclose(found.words.sum(dim=-1), WORDS.any(dim=-1).float())
    assert torch.allclose(found.sentences.sum(dim=-1), torch.ones(2))


def test_words_compete_within_their_sentence_alone(levels):
    words = numbers(2, 3, 3, 4)
    others = words.clone()
    others[:, 1:] = 7.0
    assert torch.allclose(levels(words, WORDS).words[:, 0], levels(others, WORDS).words[:, 0])


def test_padded_words_and_sentences_have_weight_0_and_no_gradient(levels):
    words = numbers(2, 3, 3, 4).requires_grad_()
    found = levels(words, WORDS)
    found.text.sum().backward()
    assert (found.words[~WORDS] == 0).all()
    assert found.sentences[0, 2] == 0
    assert (words.grad[~WORDS] == 0).all()
    assert (words.grad[WORDS] != 0).any()


def test_a_text_without_words_is_0_with_finite_gradients(levels):
    words = numbers(1, 2, 3, 4).requires_grad_()
    found = levels(words, torch.zeros(1, 2, 3, dtype=torch.bool))
    found.text.sum().backward()
    assert (found.text == 0).all()
    assert (found.sentences == 0).all()
    assert (words.grad == 0).all()
    assert all(p.grad is None or p.grad.isfinite().all() for p in levels.parameters())


def test_a_text_alone_equals_it_in_a_padded_batch(levels):
    words = numbers(2, 3, 3, 4)
    alone = levels(words[:1, :2], WORDS[:1, :2])
    assert torch.allclose(levels(words, WORDS).text[:1], alone.text, atol=1e-6)

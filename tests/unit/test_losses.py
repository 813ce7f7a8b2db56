"""The two cross-entropies are one number, padding adds nothing, and gradients agree."""

import math

import pytest
import torch
from torch.nn import functional

from seq2bert.losses import categorical_cross_entropy, perplexity
from seq2bert.training import cross_entropy


@pytest.fixture
def batch():
    torch.manual_seed(0)
    logits = torch.randn(3, 6, 11, requires_grad=True)
    words = torch.randint(0, 11, (3, 6))
    mask = torch.arange(6) < torch.tensor([6, 3, 1]).unsqueeze(1)
    return logits, words, mask


def one_hot(words):
    return functional.one_hot(words, 11).float()


def test_one_hot_and_integer_labels_give_the_same_loss_and_gradient(batch):
    logits, words, mask = batch
    losses = [
        categorical_cross_entropy(logits.log_softmax(-1), one_hot(words), mask),
        cross_entropy(logits.log_softmax(-1), words, mask),
        functional.cross_entropy(logits[mask], words[mask]),
    ]
    gradients = [torch.autograd.grad(loss, logits, retain_graph=True)[0] for loss in losses]
    for loss, gradient in zip(losses[1:], gradients[1:], strict=True):
        assert loss.item() == pytest.approx(losses[0].item(), abs=1e-6)
        assert torch.allclose(gradient, gradients[0], atol=1e-7)


def test_ten_pads_more_change_neither_loss_nor_gradient(batch):
    logits, words, mask = batch
    longer = torch.cat([logits, torch.randn(3, 10, 11)], dim=1)
    more = torch.cat([words, torch.randint(0, 11, (3, 10))], dim=1)
    wider = torch.cat([mask, torch.zeros(3, 10, dtype=torch.bool)], dim=1)
    for loss, truth, padded in (
        (categorical_cross_entropy, one_hot(words), one_hot(more)),
        (cross_entropy, words, more),
    ):
        short = loss(logits.log_softmax(-1), truth, mask)
        long = loss(longer.log_softmax(-1), padded, wider)
        assert torch.equal(short, long)
        gradients = [torch.autograd.grad(x, logits, retain_graph=True)[0] for x in (short, long)]
        assert torch.allclose(*gradients, atol=1e-8)


def test_an_impossible_word_that_is_not_the_right_one_does_no_harm(batch):
    _, words, mask = batch
    log_probs = torch.full((3, 6, 11), -torch.inf).scatter(-1, words.unsqueeze(-1), 0.0)
    assert categorical_cross_entropy(log_probs, one_hot(words), mask) == 0
    assert cross_entropy(log_probs, words, mask) == 0


def test_perplexity_of_a_uniform_guess_is_the_size_of_the_vocabulary(batch):
    _, words, mask = batch
    uniform = torch.zeros(3, 6, 11).log_softmax(-1)
    loss = cross_entropy(uniform, words, mask).item()
    assert perplexity(loss) == pytest.approx(11, rel=1e-5)
    assert perplexity(0.0) == 1


def test_what_has_no_loss_is_refused(batch):
    logits, words, mask = batch
    none = torch.zeros_like(mask)
    with pytest.raises(ValueError, match="no word is real"):
        categorical_cross_entropy(logits.log_softmax(-1), one_hot(words), none)
    with pytest.raises(ValueError, match="add up to 1"):
        categorical_cross_entropy(logits.log_softmax(-1), 2 * one_hot(words), mask)
    for wrong in (-1.0, math.nan):
        with pytest.raises(ValueError, match="expected 0 or more"):
            perplexity(wrong)

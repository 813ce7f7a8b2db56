"""From a distribution to a word: limits, smallest sets, and what is never drawn."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seq2bert.sampling import sample, top_k, top_p, with_temperature

WORDS = st.integers(2, 40)
SEEDS = st.integers(0, 10_000)


def logits_of(seed: int, words: int, rows: int = 3) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    # rounded, so that equal ones occur
    return (3 * torch.randn(rows, words, generator=generator)).round(decimals=1)


@given(SEEDS, WORDS, st.floats(0.05, 20))
def test_temperature_is_the_softmax_of_the_divided_logits(seed, words, temperature):
    logits = logits_of(seed, words)
    expected = (logits.double() / temperature).softmax(-1)
    found = with_temperature(logits, temperature)
    assert torch.allclose(found.exp().double(), expected, atol=1e-5)


def test_limits_of_the_temperature():
    logits = torch.tensor([[1.0, 3.0, 3.0, -torch.inf]])
    half = torch.tensor([[0.0, 0.5, 0.5, 0.0]])
    third = torch.tensor([[1 / 3, 1 / 3, 1 / 3, 0.0]])
    assert torch.allclose(with_temperature(logits, 0).exp(), half)
    assert torch.allclose(with_temperature(logits, 1e-30).exp(), half)
    assert torch.allclose(with_temperature(logits, math.inf).exp(), third)
    assert torch.allclose(with_temperature(logits, 1e30).exp(), third)
    assert torch.equal(with_temperature(logits, 1), logits.log_softmax(-1))


@given(SEEDS, WORDS, st.integers(1, 50))
def test_top_k_keeps_the_k_likeliest_and_their_proportions(seed, words, k):
    logits = logits_of(seed, words)
    found = top_k(logits, k)
    stays = found > -torch.inf
    assert (stays.sum(-1) == min(k, words)).all()
    for row, kept in zip(logits, stays, strict=True):
        if not kept.all():
            assert row[kept].min() >= row[~kept].max()
    whole = logits.log_softmax(-1)
    shift = (found - whole).masked_fill(~stays, 0).sum(-1, keepdim=True) / stays.sum(-1, True)
    assert torch.allclose(found[stays], (whole + shift)[stays], atol=1e-5)


@given(SEEDS, WORDS, st.floats(0.01, 1))
def test_the_nucleus_is_the_smallest_set_with_that_mass(seed, words, p):
    logits = logits_of(seed, words)
    probs = logits.double().softmax(-1)
    stays = top_p(logits, p) > -torch.inf
    for row, kept in zip(probs, stays, strict=True):
        ordered = row.sort(descending=True).values
        count = int(kept.sum())
        # enough, and no smaller set is: even the likeliest of one word less are not
        assert ordered[:count].sum() >= p - 1e-12
        assert row[kept].sum() == pytest.approx(float(ordered[:count].sum()))
        if p < 1:
            assert ordered[: count - 1].sum() < p


def test_what_keeps_everything_changes_nothing():
    logits = logits_of(0, 20)
    for found in (top_k(logits, 20), top_p(logits, 1), with_temperature(logits, 1)):
        assert torch.equal(found, logits.log_softmax(-1))


def test_one_word_is_the_likeliest_one():
    logits = logits_of(1, 20)
    best = logits.argmax(-1)
    for found in (top_k(logits, 1), top_p(logits, 1e-9)):
        assert torch.equal(sample(found), best)
        assert ((found > -torch.inf).sum(-1) == 1).all()


def test_ten_thousand_samples_never_leave_what_was_kept_and_follow_its_shares():
    logits = logits_of(2, 30, rows=1)
    generator = torch.Generator().manual_seed(0)
    for kept in (top_k(logits, 5), top_p(logits, 0.8)):
        drawn = sample(kept.expand(10_000, -1), generator)
        counts = torch.bincount(drawn, minlength=30) / 10_000
        probs = kept[0].exp()
        assert (counts[probs == 0] == 0).all()
        error = (probs * (1 - probs) / 10_000).sqrt()
        assert ((counts - probs).abs() <= 5 * error + 1e-9).all()


def test_the_same_seed_draws_the_same_words():
    logits = logits_of(3, 12)
    draws = [sample(logits, torch.Generator().manual_seed(7)).tolist() for _ in range(2)]
    assert draws[0] == draws[1]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: with_temperature(x, -1), "temperature is -1"),
        (lambda x: with_temperature(x, math.nan), "temperature is nan"),
        (lambda x: top_k(x, 0), "k is 0"),
        (lambda x: top_p(x, 0), "p is 0"),
        (lambda x: top_p(x, 1.5), "p is 1.5"),
        (lambda x: sample(torch.full_like(x, -torch.inf)), "no word that may come"),
        (lambda x: sample(torch.full_like(x, torch.nan)), "nan"),
        (lambda x: top_k(torch.full_like(x, torch.inf), 1), r"\+inf"),
    ],
)
def test_what_is_no_distribution_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call(torch.zeros(2, 4))

"""Fitting Zipf's law: exact on exact data, right on draws from a known exponent."""

import numpy as np
import pytest

from seq2bert.zipf import fit_least_squares, fit_maximum_likelihood, rank_frequencies


def law(exponent, ranks, scale=1e9):
    """Frequencies that follow the law, up to rounding."""
    return np.round(scale * np.arange(1, ranks + 1) ** -exponent).astype(int)


def drawn(exponent, ranks, count, seed=0):
    """Frequencies of so many draws from the law, by the true rank."""
    weights = np.arange(1, ranks + 1) ** -exponent
    chance = np.random.default_rng(seed)
    return np.sort(chance.multinomial(count, weights / weights.sum()))[::-1]


def test_words_are_counted_and_sorted():
    assert rank_frequencies(["the", "a", "the", "of", "a", "the"]).tolist() == [3, 2, 1]


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.7])
@pytest.mark.parametrize("fit", [fit_least_squares, fit_maximum_likelihood])
def test_the_exponent_of_exact_data_is_found_by_both(fit, exponent):
    assert fit(law(exponent, 300), 1, 300) == pytest.approx(exponent, abs=1e-4)


@pytest.mark.parametrize("exponent", [0.8, 1.0, 1.3])
def test_likelihood_finds_the_exponent_of_draws(exponent):
    found = fit_maximum_likelihood(drawn(exponent, 500, 100_000), 1, 500)
    assert found == pytest.approx(exponent, abs=0.01)


def test_a_range_of_ranks_is_fitted_by_itself():
    bent = np.concatenate([np.full(9, 10**9), law(1.2, 1000)[9:]])
    assert fit_maximum_likelihood(bent, 10, 1000) == pytest.approx(1.2, abs=1e-4)
    assert fit_maximum_likelihood(bent, 1, 1000) > 1.3


def test_on_two_ranks_both_are_the_ratio_s_logarithm():
    # f1 / f2 = 2^s, so frequencies 4 and 1 mean s = 2
    assert fit_least_squares([4, 1], 1, 2) == pytest.approx(2)
    assert fit_maximum_likelihood([4, 1], 1, 2) == pytest.approx(2, abs=1e-6)


def test_a_flat_head_pulls_likelihood_further_down_than_least_squares():
    flat = law(1.0, 1000)
    flat[:10] = flat[9]
    assert fit_maximum_likelihood(flat, 1, 1000) < fit_least_squares(flat, 1, 1000) < 1.0


def test_equal_frequencies_have_the_exponent_zero():
    assert fit_maximum_likelihood([5, 5, 5], 1, 3) == pytest.approx(0, abs=1e-6)
    assert fit_least_squares([5, 5, 5], 1, 3) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("fit", [fit_least_squares, fit_maximum_likelihood])
@pytest.mark.parametrize(
    ("frequencies", "first", "last", "message"),
    [
        ([3, 2, 1], 0, 2, "ranks 0 to 2 of 3"),
        ([3, 2, 1], 2, 2, "ranks 2 to 2 of 3"),
        ([3, 2, 1], 1, 4, "ranks 1 to 4 of 3"),
        ([1, 2, 3], 1, 3, "must be positive and fall"),
        ([2, 1, 0], 1, 3, "must be positive and fall"),
    ],
)
def test_what_cannot_be_fitted_is_refused(fit, frequencies, first, last, message):
    with pytest.raises(ValueError, match=message):
        fit(frequencies, first, last)


@pytest.mark.parametrize("words", ["the a", []])
def test_what_cannot_be_counted_is_refused(words):
    with pytest.raises(ValueError, match="words"):
        rank_frequencies(words)

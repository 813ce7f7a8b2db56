"""Hard attention: exact sums, estimates by chance, and what padding must not do."""

import pytest
import torch
from einops import rearrange

from seq2bert.attention import masked_softmax
from seq2bert.attention.hard import (
    Baseline,
    StraightThrough,
    best_key,
    entropy,
    log_marginal,
    lower_bound,
    masked_log_softmax,
    sample_keys,
    sampled_key,
    score_function,
    straight_through,
)

DRAWS = 20_000
ENERGY = [0.5, -0.4, 1.1, 3.0]  # the last key is masked
MASK = torch.tensor([[True, True, True, False]])
LOG_GIVEN = torch.tensor([0.2, 0.7, 0.4, 0.9]).log()  # log p(y | z = j)


def chance(seed=0):
    return torch.Generator().manual_seed(seed)


def exact_gradient():
    energy = torch.tensor([ENERGY], requires_grad=True)
    log_weights = masked_log_softmax(energy, MASK)
    lower_bound(log_weights[0], LOG_GIVEN[:, None]).sum().backward()
    return energy.grad[0]


def drawn_gradients(baseline=None):
    """One gradient in each row, from one draw each."""
    energy = torch.tensor([ENERGY]).repeat(DRAWS, 1).requires_grad_()
    log_weights = masked_log_softmax(rearrange(energy, "n k -> n 1 k"), MASK)
    chosen = sample_keys(log_weights.exp(), chance())
    guess = None if baseline is None else torch.full((DRAWS, 1), baseline)
    log_chosen = log_weights.gather(-1, chosen[..., None])[..., 0]
    score_function(LOG_GIVEN[chosen][..., None], log_chosen, guess).sum().backward()
    return energy.grad


def straight_through_gradients(temperature):
    energy = torch.tensor([ENERGY]).repeat(DRAWS, 1).requires_grad_()
    weights = straight_through(rearrange(energy, "n k -> n 1 k"), MASK, temperature, chance())
    return energy, weights


def distance_in_standard_errors(drawn):
    error = drawn.std(dim=0) / DRAWS**0.5
    return (drawn.mean(dim=0) - exact_gradient())[:3].abs() / error[:3]


def test_the_log_weights_are_the_logarithms_of_the_weights():
    energy = torch.randn(2, 3, 4, generator=chance())
    mask = torch.tensor([[[True, False, True, True]], [[True, True, False, False]]])
    assert torch.allclose(masked_log_softmax(energy, mask).exp(), masked_softmax(energy, mask))


def test_marginal_and_bound_by_hand():
    log_weights = torch.tensor([0.25, 0.75]).log()
    log_given = torch.tensor([[0.4, 0.6], [0.8, 0.2]]).log()
    marginal = torch.tensor([0.25 * 0.4 + 0.75 * 0.8, 0.25 * 0.6 + 0.75 * 0.2])
    assert torch.allclose(log_marginal(log_weights, log_given).exp(), marginal)
    bound = torch.tensor([0.4**0.25 * 0.8**0.75, 0.6**0.25 * 0.2**0.75])
    assert torch.allclose(lower_bound(log_weights, log_given).exp(), bound)


def test_the_bound_is_never_above_the_marginal_and_equal_if_one_key_is_certain():
    log_weights = torch.randn(500, 6, generator=chance()).log_softmax(-1)
    log_given = torch.randn(500, 6, 9, generator=chance(1)).log_softmax(-1)
    assert (lower_bound(log_weights, log_given) <= log_marginal(log_weights, log_given)).all()
    certain = torch.tensor([0.0, -torch.inf, -torch.inf])
    given = torch.randn(3, 5).log_softmax(-1)
    assert torch.equal(lower_bound(certain, given), given[0])
    assert torch.allclose(log_marginal(certain, given), given[0])


def test_the_marginal_of_predictions_is_a_prediction():
    log_weights = torch.randn(4, 6, generator=chance()).log_softmax(-1)
    log_given = torch.randn(4, 6, 9, generator=chance(1)).log_softmax(-1)
    assert torch.allclose(log_marginal(log_weights, log_given).exp().sum(-1), torch.ones(4))


def test_entropy_by_hand():
    log_weights = torch.tensor([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.25, 0.25, 0.5]]).log()
    expected = torch.tensor([1.0, 0.0, 1.5]) * torch.tensor(2.0).log()
    assert torch.allclose(entropy(log_weights), expected)


def test_keys_are_drawn_as_often_as_their_weights_say():
    weights = torch.tensor([0.1, 0.6, 0.0, 0.3]).expand(DRAWS, 4)
    counts = sample_keys(weights, chance()).bincount(minlength=4) / DRAWS
    error = (weights[0] * (1 - weights[0]) / DRAWS).sqrt()
    assert ((counts - weights[0]).abs() <= 4 * error).all()
    assert counts[2] == 0


@pytest.mark.parametrize("draw", [sampled_key, straight_through])
def test_functions_that_draw_give_one_one_in_each_row_as_often_as_the_softmax_says(draw):
    energy = torch.tensor([ENERGY]).expand(DRAWS, 1, 4)
    weights = draw(energy, MASK, generator=chance())
    assert ((weights == 0) | (weights == 1)).all()
    assert (weights.sum(-1) == 1).all()
    expected = masked_softmax(torch.tensor([ENERGY]), MASK)[0]
    error = (expected * (1 - expected) / DRAWS).sqrt()
    assert ((weights.mean(dim=0)[0] - expected).abs() <= 4 * error).all()


def test_the_best_key_is_the_one_with_the_highest_energy_among_those_not_masked():
    assert best_key(torch.tensor([ENERGY]), MASK).tolist() == [[0, 0, 1, 0]]


@pytest.mark.parametrize("baseline", [None, -0.8, 2.0])
def test_the_estimate_is_right_on_the_average_with_any_baseline(baseline):
    assert (distance_in_standard_errors(drawn_gradients(baseline)) < 4).all()


def test_an_estimate_without_its_factor_is_not():
    energy = torch.tensor([ENERGY]).repeat(DRAWS, 1).requires_grad_()
    log_weights = masked_log_softmax(rearrange(energy, "n k -> n 1 k"), MASK)
    chosen = sample_keys(log_weights.exp(), chance())
    log_weights.gather(-1, chosen[..., None]).sum().backward()
    assert (distance_in_standard_errors(energy.grad) > 4).any()


def test_a_baseline_near_the_mean_lowers_the_variance():
    near = drawn_gradients(LOG_GIVEN[:3].mean().item())[:, :3].var(dim=0)
    none = drawn_gradients()[:, :3].var(dim=0)
    assert near.sum() < 0.6 * none.sum()


def test_the_value_of_the_estimate_is_the_log_probability_at_the_drawn_key():
    value = score_function(LOG_GIVEN[:, None], torch.full((4,), -0.3), torch.full((4,), -2.0))
    assert torch.equal(value[:, 0], LOG_GIVEN)


def test_straight_through_is_biased():
    """sum_j w_j log p_j: one draw forwards, the gradient of a soft mean backwards."""
    values = torch.tensor([0.0, 1.0, -2.0, 0.0])

    def nonlinear(read):
        return (read * values).sum(-1).exp()

    energy = torch.tensor([ENERGY], requires_grad=True)
    weights = masked_softmax(energy, MASK)[0]
    (weights * values.exp()).sum().backward()  # the mean over z of f(v_z)
    drawn, hot = straight_through_gradients(temperature=0.5)
    nonlinear(hot).sum().backward()
    error = drawn.grad.std(dim=0) / DRAWS**0.5
    assert ((drawn.grad.mean(dim=0) - energy.grad[0])[:3].abs() / error[:3]).max() > 10


@pytest.mark.parametrize("temperature", [0.5, 5.0])
def test_straight_through_is_least_biased_of_a_linear_function_at_low_temperature(temperature):
    drawn, hot = straight_through_gradients(temperature)
    (hot[:, 0] * LOG_GIVEN).sum().backward()
    bias = (drawn.grad.mean(dim=0) - exact_gradient())[:3].norm() / exact_gradient().norm()
    assert bias < 0.25 if temperature == 0.5 else bias > 0.5


def all_functions(energy, mask):
    """Every differentiable number that is made from energies here."""
    log_weights = masked_log_softmax(energy, mask)
    given = torch.randn(*energy.shape, 5, generator=chance()).log_softmax(-1)
    chosen = sample_keys(log_weights.exp(), chance())
    log_chosen = log_weights.gather(-1, chosen[..., None])[..., 0]
    log_chosen = log_chosen.masked_fill(log_chosen.isneginf(), 0.0)
    hot = straight_through(energy, mask, generator=chance())
    return {
        "marginal": log_marginal(log_weights, given),
        "bound": lower_bound(log_weights, given),
        "entropy": entropy(log_weights),
        "estimate": score_function(given[..., 0, :], log_chosen),
        "straight through": hot * given[..., 0],
    }


@pytest.mark.parametrize("name", ["marginal", "bound", "entropy", "estimate", "straight through"])
def test_a_masked_key_has_no_gradient_and_a_query_without_keys_a_finite_one(name):
    energy = torch.randn(2, 3, 4, generator=chance(5)).requires_grad_()
    mask = torch.tensor([[[True, True, False, True]], [[False] * 4]])
    found = all_functions(energy, mask)[name]
    assert torch.isfinite(found).all()
    found.sum().backward()
    assert torch.isfinite(energy.grad).all()
    assert (energy.grad[0, :, 2] == 0).all()
    assert (energy.grad[1] == 0).all()


@pytest.mark.parametrize("function", [best_key, sampled_key, straight_through])
def test_a_query_without_keys_reads_nothing(function):
    energy = torch.randn(2, 3, 4)
    mask = torch.tensor([[[True] * 4], [[False] * 4]])
    weights = function(energy, mask)
    assert (weights[1] == 0).all()
    assert (weights[0].sum(-1) == 1).all()


@pytest.mark.parametrize("function", [log_marginal, lower_bound])
def test_padding_changes_nothing(function):
    energy = torch.randn(1, 3, 4, generator=chance())
    given = torch.randn(1, 3, 4, 5, generator=chance(1)).log_softmax(-1)
    everything = torch.ones(1, 1, 4, dtype=torch.bool)
    alone = function(masked_log_softmax(energy, everything), given)
    more = torch.cat([energy, torch.full((1, 3, 2), 7.0)], dim=-1)
    wider = torch.cat([given, torch.randn(1, 3, 2, 5).log_softmax(-1)], dim=2)
    mask = torch.tensor([[[True] * 4 + [False] * 2]])
    assert torch.allclose(function(masked_log_softmax(more, mask), wider), alone)


def test_straight_through_is_the_best_key_when_it_does_not_train():
    energy = torch.tensor([ENERGY])
    module = StraightThrough()
    assert torch.equal(module.eval()(energy, MASK), best_key(energy, MASK))
    drawn = {tuple(module.train()(energy, MASK)[0].tolist()) for _ in range(200)}
    assert len(drawn) == 3


def test_a_baseline_begins_with_all_words_alike_and_sends_nothing_into_the_state():
    state = torch.randn(2, 3, 8, requires_grad=True)
    guess = Baseline(8, 10)(state)
    assert torch.allclose(guess, torch.tensor(0.1).log().expand(2, 3))
    guess.sum().backward()
    assert state.grad is None


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_a_temperature_that_is_not_positive_is_refused(temperature):
    with pytest.raises(ValueError, match=r"temperature is .*; expected a number above 0"):
        straight_through(torch.tensor([ENERGY]), MASK, temperature)

"""Cheaper attention: exact where it should be, blind to padding, and as cheap as promised."""

import math

import pytest
import torch
from torch.nn import functional

from seq2bert.attention import efficient
from seq2bert.attention.efficient import (
    RandomFeatures,
    causal_linearised,
    causal_windowed,
    clustered,
    compressed,
    convolved,
    elu_features,
    full,
    gaussian_log_prior,
    grouped_query,
    linearised,
    multi_query,
    multiplications,
    peak_bytes,
    polynomial_features,
    projected,
    random_projection,
    talking_heads,
    weights_of,
    windowed,
    windowed_with_global,
    with_near_prior,
    with_prior,
)
from seq2bert.attention.efficient.memory import nearest_centres
from seq2bert.attention.efficient.prior import by_place
from seq2bert.positions import alibi

HEADS, SIZE = 2, 4
TWO = torch.tensor([1, 4])


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def drawn(length, batch=2, heads=HEADS, size=SIZE):
    return [numbers(batch, heads, length, size, seed=seed) for seed in (1, 2, 3)]


def real(length, *lengths):
    """A mask of keys, (batch, 1, 1, key)."""
    return (torch.arange(length) < torch.tensor(lengths)[:, None])[:, None, None]


def every(length):
    return torch.ones(1, 1, 1, length, dtype=torch.bool)


def kernels(size=SIZE, stride=3):
    """A convolution that takes the mean."""
    return torch.eye(size).expand(1, stride, size, size) / stride


# Each attention of a sequence of at most 16 to itself, with one set of keys for each head.
CHEAP = {
    "windowed": lambda *given: windowed(*given, reach=2),
    "causal_windowed": lambda *given: causal_windowed(*given, reach=3),
    "windowed_with_global": lambda *given: windowed_with_global(*given, reach=1, places=TWO),
    "linearised": linearised,
    "random features": lambda *given: linearised(*given, RandomFeatures(SIZE, 6)),
    "causal_linearised": lambda *given: causal_linearised(*given, chunk=3),
    "compressed": lambda *given: compressed(*given, stride=3),
    "convolved": lambda q, k, v, mask: convolved(q, k, v, mask, kernels().to(k), kernels().to(k)),
    "clustered": lambda *given: clustered(*given, clusters=3),
    "projected": lambda q, k, v, mask: projected(
        q, k, v, mask, *(random_projection(3, 16, seed).to(k) for seed in (1, 2))
    ),
    "with_near_prior": lambda *given: with_near_prior(
        *given, gaussian_log_prior(torch.tensor([1.0, 3.0]), 4)
    ),
}
SQUARE = {
    "full": full,
    "with_prior": lambda q, k, v, mask: with_prior(
        q, k, v, mask, alibi(HEADS, q.shape[2], k.shape[2])
    ),
    "talking_heads": lambda q, k, v, mask: talking_heads(
        q, k, v, mask, *(numbers(HEADS, HEADS, seed=seed).to(q) for seed in (5, 6))
    ),
    "grouped_query": grouped_query,
}
ALL = CHEAP | SQUARE
CAUSAL = {name: CHEAP[name] for name in ("causal_windowed", "causal_linearised")}

each = pytest.mark.parametrize("attention", ALL.values(), ids=ALL)
each_cheap = pytest.mark.parametrize("attention", CHEAP.values(), ids=CHEAP)


# Exact where it should be


@pytest.mark.parametrize("length", [1, 2, 5, 8])
def test_full_is_pytorchs(length):
    query, key, value = drawn(length)
    expected = functional.scaled_dot_product_attention(query, key, value)
    assert torch.allclose(full(query, key, value, every(length)), expected, atol=1e-6)


@pytest.mark.parametrize("length", [1, 2, 5, 8])
@pytest.mark.parametrize("more", [-1, 0, 7])
def test_a_window_as_long_as_the_sequence_is_full_attention(length, more):
    given = [*drawn(length), real(length, length, length // 2 + 1)]
    reach = length + more
    assert torch.allclose(windowed(*given, reach), full(*given), atol=1e-6)
    places = torch.tensor([length - 1])
    assert torch.allclose(windowed_with_global(*given, reach, places), full(*given), atol=1e-6)


@pytest.mark.parametrize("length", [1, 4, 6, 7, 12, 13])
@pytest.mark.parametrize("reach", [0, 1, 3, 5])
def test_a_window_is_full_attention_with_a_mask_at_every_length(length, reach):
    query, key, value = drawn(length)
    mask = real(length, length, length // 2)
    away = torch.arange(length) - torch.arange(length)[:, None]
    near = full(query, key, value, mask & (away.abs() <= reach))
    assert torch.allclose(windowed(query, key, value, mask, reach), near, atol=1e-6)
    back = full(query, key, value, mask & (away <= 0) & (away >= -reach))
    assert torch.allclose(causal_windowed(query, key, value, mask, reach), back, atol=1e-6)


@pytest.mark.parametrize("length", [5, 6, 11])
@pytest.mark.parametrize("reach", [0, 2])
def test_global_tokens_see_all_and_are_seen_by_all_and_count_once(length, reach):
    query, key, value = drawn(length)
    mask = real(length, length, 3)
    away = torch.arange(length) - torch.arange(length)[:, None]
    seen = away.abs() <= reach
    seen[TWO], seen[:, TWO] = True, True
    expected = full(query, key, value, mask & seen)
    found = windowed_with_global(query, key, value, mask, reach, TWO)
    assert torch.allclose(found, expected, atol=1e-6)


def test_without_global_tokens_only_the_window_is_left():
    given = [*drawn(7), every(7)]
    none = torch.tensor([], dtype=torch.long)
    assert torch.allclose(windowed_with_global(*given, 2, none), windowed(*given, 2), atol=1e-6)


def test_products_of_two_features_are_the_kernel_of_squares_exactly():
    query, key, value = drawn(6)
    mask = real(6, 6, 4)
    kernel = torch.einsum("bhqd,bhkd->bhqk", query, key).square() * mask
    expected = (kernel / kernel.sum(-1, keepdim=True)) @ value
    found = linearised(query, key, value, mask, polynomial_features)
    assert torch.allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("feature_map", [elu_features, polynomial_features])
@pytest.mark.parametrize("chunk", [1, 3, 4, 99])
def test_running_sums_are_the_masked_square_for_any_chunk(feature_map, chunk):
    query, key, value = drawn(8)
    mask = real(8, 8, 5)
    kernel = feature_map(query) @ feature_map(key).mT * (mask & torch.ones(8, 8).tril().bool())
    expected = (kernel / kernel.sum(-1, keepdim=True)) @ value
    found = causal_linearised(query, key, value, mask, feature_map, chunk)
    assert torch.allclose(found, expected, atol=1e-5)


def test_random_features_come_to_softmax_as_there_are_more_of_them():
    query, key, value = drawn(12, size=8)
    given = [query / 2, key / 2, value, every(12)]
    errors = [
        ((linearised(*given, RandomFeatures(8, many)) - full(*given)).norm() / value.norm()).item()
        for many in (64, 1024, 16384)
    ]
    assert errors[0] > 2 * errors[1] > 4 * errors[2]
    assert errors[2] < 0.01


def test_random_directions_point_everywhere_alike():
    """Of a rotation whose signs were left to the linear algebra library the mean is not 0."""
    directions = RandomFeatures(8, 16384).directions
    assert directions.mean(0).abs().max() < 0.05
    assert torch.allclose(directions.T @ directions / 16384, torch.eye(8), atol=0.05)


def test_random_features_are_positive_and_their_directions_orthogonal_in_groups():
    features = RandomFeatures(4, 6)
    assert (features(numbers(5, 4)) > 0).all()
    products = features.directions[:4] @ features.directions[:4].T
    assert torch.allclose(products, products.diag().diag(), atol=1e-5)


def test_rank_n_with_the_identity_is_full_attention():
    given = [*drawn(6), real(6, 6, 4)]
    assert torch.allclose(projected(*given, torch.eye(6), torch.eye(6)), full(*given), atol=1e-6)


def test_groups_of_one_key_are_full_attention():
    given = [*drawn(6), real(6, 6, 4)]
    assert torch.allclose(compressed(*given, stride=1), full(*given), atol=1e-6)
    one = torch.eye(SIZE).expand(1, 1, SIZE, SIZE)
    assert torch.allclose(convolved(*given, one, one), full(*given), atol=1e-6)


def test_as_many_clusters_as_keys_are_full_attention():
    given = [*drawn(6), real(6, 6, 4)]
    assert torch.allclose(clustered(*given, clusters=6), full(*given), atol=1e-6)


def test_keys_that_are_equal_lose_nothing_when_they_become_one():
    query, key, value = drawn(9)
    key = key[:, :, :3].repeat_interleave(3, dim=2)
    given = [query, key, value, real(9, 9, 7)]
    assert torch.allclose(compressed(*given, stride=3), full(*given), atol=1e-6)
    given = [query, key, value, every(9)]
    assert torch.allclose(clustered(*given, clusters=3), full(*given), atol=1e-6)


def test_a_convolution_that_takes_the_mean_is_the_mean_without_the_weight_of_its_number():
    given = [*drawn(9), every(9)]  # groups are equally large, so their weight does not matter
    expected = compressed(*given, stride=3)
    assert torch.allclose(convolved(*given, kernels(), kernels()), expected, atol=1e-6)


def test_clusters_find_two_heaps():
    key = torch.tensor([0.0, 10.0, 1.0, 11.0, 0.5, 99.0])[None, None, :, None]
    group = nearest_centres(key, real(6, 5)[:, 0], clusters=2, rounds=3)[0, 0, :5]
    assert group.tolist() in ([0, 1, 0, 1, 0], [1, 0, 1, 0, 1])


def test_a_constant_prior_is_full_attention():
    given = [*drawn(6), real(6, 6, 4)]
    for constant in (0.0, -3.0):
        prior = torch.full((1, 1, 6), constant)
        assert torch.allclose(with_prior(*given, prior), full(*given), atol=1e-6)
        near = torch.full((1, 11), constant)
        assert torch.allclose(with_near_prior(*given, near), full(*given), atol=1e-6)


def test_a_prior_of_distances_is_the_same_prior_of_places():
    given = [*drawn(9), real(9, 9, 4)]
    prior = gaussian_log_prior(torch.tensor([1.0, 2.0]), reach=3)
    expected = with_prior(*given, by_place(prior, 9))
    assert torch.allclose(with_near_prior(*given, prior), expected, atol=1e-6)


def test_a_prior_multiplies_the_weights():
    query, key, _ = drawn(5)
    prior = alibi(HEADS, 5, 5)
    expected = weights_of(full, query, key, every(5)) * prior.exp()
    expected = expected / expected.sum(-1, keepdim=True)
    found = weights_of(lambda *given: with_prior(*given, prior), query, key, every(5))
    assert torch.allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_shared_keys_are_keys_that_are_repeated(groups):
    query, mask = numbers(2, 6, 5, 4), real(5, 5, 3)
    key, value = numbers(2, groups, 5, 4, seed=1), numbers(2, groups, 5, 3, seed=2)
    alike = [x.repeat_interleave(6 // groups, dim=1) for x in (key, value)]
    found = grouped_query(query, key, value, mask)
    assert torch.allclose(found, full(query, *alike, mask), atol=1e-6)
    expected = functional.scaled_dot_product_attention(
        query, key, value, mask.expand(-1, -1, 5, -1), enable_gqa=True
    )
    assert torch.allclose(found, expected, atol=1e-6)


def test_one_group_is_multi_query_attention():
    query, mask = numbers(2, 6, 5, 4), real(5, 5, 3)
    key, value = numbers(2, 1, 5, 4, seed=1), numbers(2, 1, 5, 3, seed=2)
    expected = grouped_query(query, key, value, mask)
    assert torch.equal(multi_query(query, key, value, mask), expected)


def test_heads_that_talk_to_themselves_only_are_full_attention():
    given = [*drawn(6), real(6, 6, 4)]
    found = talking_heads(*given, torch.eye(HEADS), torch.eye(HEADS))
    assert torch.allclose(found, full(*given), atol=1e-6)


def test_heads_that_exchange_their_weights_read_each_others_words():
    query, key, value = drawn(5)
    exchange = torch.eye(2).flip(0)
    found = talking_heads(query, key, value, every(5), torch.eye(2), exchange)
    expected = full(query.flip(1), key.flip(1), value, every(5))
    assert torch.allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("name", sorted(set(ALL) - {"convolved"}))
def test_the_weights_of_an_attention_times_the_values_are_its_contexts(name):
    query, key, value = drawn(8)
    mask = real(8, 8, 5)
    weights = weights_of(ALL[name], query, key, mask)
    assert torch.allclose(weights @ value, ALL[name](query, key, value, mask), atol=1e-5)


# By hand: energies 0 and ln 3 (size 1, so no scale), values 8 and 4, unless said otherwise

ZERO_AND_LN_3 = torch.tensor([0.0, math.log(3)]).view(1, 1, 2, 1)
ONE_EACH = torch.ones(1, 1, 2, 1)
EIGHT_AND_FOUR = torch.tensor([8.0, 4.0]).view(1, 1, 2, 1)
BY_HAND = [ONE_EACH, ZERO_AND_LN_3, EIGHT_AND_FOUR, every(2)]


def test_windows_by_hand():
    assert windowed(*BY_HAND, 0).flatten().tolist() == [8, 4]
    assert causal_windowed(*BY_HAND, 1).flatten().tolist() == pytest.approx([8, 5])
    first = torch.tensor([0])
    assert windowed_with_global(*BY_HAND, 0, first).flatten().tolist() == pytest.approx([5, 5])


def test_linear_attention_by_hand():
    # features of the query 1: 2; of the keys 0 and ln 3: 1 and 1 + ln 3
    second = 1 + math.log(3)
    mean = (8 + 4 * second) / (1 + second)
    assert linearised(*BY_HAND).flatten().tolist() == pytest.approx([mean, mean])
    assert causal_linearised(*BY_HAND).flatten().tolist() == pytest.approx([8, mean])
    assert elu_features(torch.tensor([-1.0, 2.0])).tolist() == pytest.approx([math.exp(-1), 3])


def test_a_random_feature_by_hand():
    features = RandomFeatures(1, 2)
    features.directions = torch.tensor([[1.0], [-2.0]])
    expected = [math.exp(0.5 - 0.125) / math.sqrt(2), math.exp(-1.0 - 0.125) / math.sqrt(2)]
    assert features(torch.tensor([0.5])).tolist() == pytest.approx(expected)


def test_compressed_memory_by_hand():
    # keys 0 and 0 become one that counts twice, beside ln 2: weights 1/2 and 1/2
    key = torch.tensor([0.0, 0.0, math.log(2)]).view(1, 1, 3, 1)
    value = torch.tensor([8.0, 6.0, 1.0]).view(1, 1, 3, 1)
    given = [torch.ones(1, 1, 1, 1), key, value, every(3)]
    assert compressed(*given, stride=2).item() == pytest.approx(4)
    assert clustered(*given, clusters=2).item() == pytest.approx(4)


def test_a_convolution_by_hand():
    # the second of two keys is taken, and the sum of two values
    take = torch.tensor([0.0, 1.0]).view(1, 2, 1, 1)
    add = torch.ones(1, 2, 1, 1)
    key = torch.tensor([5.0, 0.0, 5.0, math.log(3)]).view(1, 1, 4, 1)
    value = torch.tensor([8.0, 0.0, 1.0, 3.0]).view(1, 1, 4, 1)
    found = convolved(torch.ones(1, 1, 1, 1), key, value, every(4), take, add)
    assert found.item() == pytest.approx(5)


def test_a_projection_by_hand():
    # the one key is their sum, the one value their mean
    found = projected(*BY_HAND, torch.ones(1, 2), torch.tensor([[0.5, 0.5]]))
    assert found.flatten().tolist() == [6, 6]
    # two keys, ln 3 and 0; two values, 8 and 4
    found = projected(*BY_HAND, torch.eye(2).flip(0), torch.eye(2))
    assert found.flatten().tolist() == pytest.approx([7, 7])


def test_a_prior_by_hand():
    # a prior of 3 to 1 for the first key makes both weights 1/2
    found = with_prior(*BY_HAND, torch.tensor([math.log(3), 0.0]).view(1, 1, 2))
    assert found.flatten().tolist() == pytest.approx([6, 6])
    assert gaussian_log_prior(torch.tensor([0.5]), 2).tolist() == [[-8, -2, 0, -2, -8]]


def test_grouped_queries_by_hand():
    query = torch.tensor([1.0, 0.0]).view(1, 2, 1, 1)
    found = multi_query(query, ZERO_AND_LN_3, EIGHT_AND_FOUR, every(2))
    assert found.flatten().tolist() == pytest.approx([5, 6])


def test_talking_heads_by_hand():
    # both heads get the sum of the energies: ln 3 and ln 3 for the keys; then the first is halved
    query = torch.ones(1, 2, 1, 1)
    key = torch.stack([ZERO_AND_LN_3[0, 0], ZERO_AND_LN_3[0, 0].flip(0)])[None]
    value = EIGHT_AND_FOUR.expand(1, 2, 2, 1)
    halved = torch.tensor([[0.5, 0.0], [0.0, 1.0]])
    found = talking_heads(query, key, value, every(2), torch.ones(2, 2), halved)
    assert found.flatten().tolist() == pytest.approx([3, 6])


# Padding


@each
def test_what_stands_in_the_padding_changes_nothing(attention):
    query, key, value = drawn(8)
    mask = real(8, 8, 5)
    before = attention(query, key, value, mask)
    for changed in (key, value):
        changed[1, :, 5:] = 7 * numbers(HEADS, 3, SIZE, seed=9)
    assert torch.equal(attention(query, key, value, mask), before)


@each
def test_alone_equals_in_a_padded_batch(attention):
    query, key, value = drawn(8)
    together = attention(query, key, value, real(8, 8, 5))
    alone = attention(*(x[1:, :, :5] for x in (query, key, value)), every(5))
    assert torch.allclose(together[1:, :, :5], alone, atol=1e-6)


@each
def test_a_sentence_of_padding_gives_zeros_and_finite_gradients(attention):
    given = [x.requires_grad_() for x in drawn(8)]
    context = attention(*given, real(8, 8, 0))
    (context * numbers(*context.shape, seed=9)).sum().backward()
    assert (context[1] == 0).all()
    assert all(x.grad.isfinite().all() for x in given)
    assert all((x.grad[1] == 0).all() for x in given)
    assert (given[2].grad[0] != 0).any()


@each_cheap
def test_padding_has_no_gradient(attention):
    given = [x.requires_grad_() for x in drawn(8)]
    attention(*given, real(8, 8, 5)).square().sum().backward()
    assert all(x.grad.isfinite().all() for x in given)
    assert all((x.grad[1, :, 5:] == 0).all() for x in given[1:])


@pytest.mark.parametrize("name", sorted(set(ALL) - {"convolved", "talking_heads"}))
def test_each_head_can_have_a_mask_of_its_own(name):
    query, key, _ = drawn(8)
    mask = torch.cat([real(8, 8, 8), real(8, 4, 4)], dim=1)
    weights = weights_of(ALL[name], query, key, mask)
    assert (weights[:, 1, :, 4:] == 0).all()
    assert (weights[:, 0, :, 4:] != 0).any()


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
@each
def test_another_precision_is_kept(attention, dtype):
    given = [x.to(dtype) for x in drawn(8)]
    assert attention(*given, real(8, 8, 5)).dtype == dtype


# No look ahead


@pytest.mark.parametrize("attention", CAUSAL.values(), ids=CAUSAL)
@pytest.mark.parametrize("gradients", [True, False])
def test_what_comes_later_changes_nothing_before_bit_by_bit(attention, gradients):
    given = drawn(11)
    with torch.set_grad_enabled(gradients):
        before = attention(*given, every(11))
        for place in range(11):
            other = [x.clone() for x in given]
            for changed in other:
                changed[:, :, place] = 5 * numbers(2, HEADS, SIZE, seed=place)
            after = attention(*other, every(11))
            assert torch.equal(after[:, :, :place], before[:, :, :place])
            assert not torch.equal(after[:, :, place], before[:, :, place])


# The price


def sequence(length):
    return [*drawn(length, batch=1, heads=1, size=8), every(length)]


PROJECTION = random_projection(8, 1024)
FIXED = {
    "windowed": lambda *given: windowed(*given, reach=8),
    "causal_windowed": lambda *given: causal_windowed(*given, reach=8),
    "windowed_with_global": lambda *given: windowed_with_global(*given, reach=8, places=TWO),
    "linearised": linearised,
    "causal_linearised": lambda *given: causal_linearised(*given, chunk=16),
    "clustered": lambda *given: clustered(*given, clusters=8),
    "projected": lambda *given: projected(*given, PROJECTION, PROJECTION),
    "with_near_prior": lambda *given: with_near_prior(
        *given, gaussian_log_prior(torch.tensor([3.0]), 8)
    ),
    "compressed": lambda q, k, v, m: compressed(q, k, v, m, stride=k.shape[2] // 8),
}


@pytest.mark.parametrize("attention", FIXED.values(), ids=FIXED)
def test_twice_the_length_costs_twice_as_much(attention):
    for cost in (multiplications, peak_bytes):
        short, long = (cost(lambda n=n: attention(*sequence(n))) for n in (256, 512))
        assert 1.9 < long / short < 2.1


@pytest.mark.parametrize("attention", SQUARE.values(), ids=SQUARE)
def test_of_a_square_twice_the_length_costs_four_times_as_much(attention):
    def ask(length):
        return attention(*drawn(length, batch=1), every(length))

    for cost in (multiplications, peak_bytes):
        short, long = (cost(lambda n=n: ask(n)) for n in (256, 512))
        assert 3.8 < long / short < 4.1


def test_multiplications_by_hand():
    # q . k: 6 * 6 * 8; weights times v: 6 * 6 * 8
    assert multiplications(lambda: full(*sequence(6))) == 2 * 6 * 6 * 8


def test_pytorchs_fused_attention_multiplies_as_much_in_less_memory():
    query, key, value, mask = sequence(256)

    def fused():
        return functional.scaled_dot_product_attention(query, key, value)

    def written_out():
        return full(query, key, value, mask)

    assert multiplications(fused) == multiplications(written_out) == 2 * 256 * 256 * 8
    assert peak_bytes(fused) < 0.1 * peak_bytes(written_out)


def test_bytes_by_hand():
    def two_then_one():
        first = torch.ones(100)
        second = first + 1
        del first
        third = second * 2
        return third[:10]

    assert peak_bytes(two_then_one) == 2 * 400


def test_what_was_there_before_is_not_counted():
    before = torch.ones(100)
    assert peak_bytes(lambda: before.add_(1)) == 0
    assert peak_bytes(lambda: before.view(10, 10)) == 0


# What is refused


@pytest.mark.parametrize("name", list(CHEAP))
def test_a_mask_with_an_axis_of_queries_is_refused(name):
    with pytest.raises(ValueError, match=r"with an axis of queries; expected a mask of keys"):
        CHEAP[name](*drawn(6), torch.ones(1, 1, 6, 6, dtype=torch.bool))


@pytest.fixture
def key_mask(unchecked):
    return unchecked("attention.efficient.masks").key_mask


@pytest.mark.parametrize("shape", [(2, 5), (2, 1, 1, 4), (3, 1, 1, 5), (2, 3, 1, 5)])
def test_a_mask_of_another_shape_is_refused(key_mask, shape):
    with pytest.raises(ValueError, match=r"expected a mask of keys, \(2 or 1, 2 or 1, 1, 5\)"):
        key_mask(torch.ones(shape, dtype=torch.bool), numbers(2, 2, 5, 3))


def test_a_mask_of_numbers_is_refused(key_mask):
    with pytest.raises(ValueError, match=r"mask is torch.float32; expected bool"):
        key_mask(torch.ones(2, 1, 1, 5), numbers(2, 2, 5, 3))


def test_windows_of_two_sequences_of_unequal_length_are_refused(unchecked):
    sparse = unchecked("attention.efficient.sparse")
    query, key, value = numbers(1, 1, 4, 2), numbers(1, 1, 5, 2), numbers(1, 1, 5, 2)
    with pytest.raises(ValueError, match="4 queries and 5 keys; expected as many"):
        sparse.windowed(query, key, value, every(5), 1)


@pytest.mark.parametrize("places", [[0, 0], [-1], [6]])
def test_global_places_outside_or_twice_there_are_refused(places):
    with pytest.raises(ValueError, match=r"global places \[.*\] in a sequence of 6"):
        windowed_with_global(*drawn(6), every(6), 1, torch.tensor(places))


def test_heads_that_cannot_be_grouped_are_refused():
    key = numbers(1, 4, 3, 2)
    with pytest.raises(ValueError, match="6 heads of queries and 4 of keys"):
        grouped_query(numbers(1, 6, 3, 2), key, key, every(3))
    with pytest.raises(ValueError, match="4 heads of keys; expected 1"):
        multi_query(numbers(1, 4, 3, 2), key, key, every(3))


def test_projections_for_shorter_sentences_are_refused():
    with pytest.raises(ValueError, match="for 6 keys; expected"):
        projected(*drawn(6), every(6), torch.ones(2, 5), torch.ones(2, 5))


def test_kernels_of_unequal_stride_are_refused(unchecked):
    memory = unchecked("attention.efficient.memory")
    with pytest.raises(ValueError, match="a stride of 3 for the keys, of 2 for the values"):
        memory.convolved(*drawn(6), every(6), kernels(), kernels(stride=2))


def test_a_prior_without_a_middle_is_refused():
    with pytest.raises(ValueError, match="a prior of 4 distances; expected 2 reach"):
        with_near_prior(*drawn(6), every(6), torch.zeros(1, 4))


def test_a_bell_without_a_width_is_refused():
    with pytest.raises(ValueError, match=r"widths \[0.0\]; expected numbers above 0"):
        gaussian_log_prior(torch.tensor([0.0]), 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda given: windowed(*given, -1), "reach is -1; expected 0"),
        (lambda given: causal_windowed(*given, -1), "reach is -1; expected 0"),
        (lambda given: windowed_with_global(*given, -1, TWO), "reach is -1; expected 0"),
        (lambda given: causal_linearised(*given, chunk=0), "chunk is 0; expected 1"),
        (lambda given: compressed(*given, 0), "stride is 0; expected 1"),
        (lambda given: clustered(*given, 0), "clusters is 0; expected 1"),
        (lambda given: clustered(*given, 2, 0), "rounds is 0; expected 1"),
        (lambda given: random_projection(0, 6), "rank is 0; expected 1"),
        (lambda given: RandomFeatures(4, 0), "features is 0; expected 1"),
        (lambda given: gaussian_log_prior(torch.ones(1), -1), "reach is -1; expected 0"),
    ],
)
def test_numbers_that_are_too_small_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call([*drawn(6), every(6)])


def test_what_the_package_lists_is_there():
    assert all(hasattr(efficient, name) for name in efficient.__all__)

"""Time of each cheaper attention over that of PyTorch's own, at 512, 1024 and 4096 words.

`make bench` prints the table: below 1 is faster. All run in turn, in one process, on one thread;
each number is the least of several tries.
"""

import time

import pytest
import torch
from torch.nn import functional

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
    projected,
    random_projection,
    talking_heads,
    windowed,
    windowed_with_global,
    with_near_prior,
    with_prior,
)
from seq2bert.positions import alibi

HEADS, SIZE, BUDGET = 4, 64, 64
LENGTHS = (512, 1024, 4096)
TRIES = {512: 8, 1024: 5, 4096: 3}

FEATURES = RandomFeatures(SIZE, 4 * BUDGET)
MIXING = random_projection(BUDGET, max(LENGTHS))
BELL = gaussian_log_prior(torch.full((1,), BUDGET / 2), BUDGET)
SAME = torch.eye(HEADS)
GLOBAL = torch.arange(4)
LINES = {length: alibi(HEADS, length, length) for length in LENGTHS}


def kernel(stride):
    return torch.eye(SIZE).expand(1, stride, SIZE, SIZE) / stride


def sdpa(query, key, value, mask):
    return functional.scaled_dot_product_attention(query, key, value, mask)


def fewer(attention, heads):
    """The attention, with the keys and values of the first heads only."""
    return lambda q, k, v, mask: attention(q, k[:, :heads], v[:, :heads], mask)


def convolved_to_budget(query, key, value, mask):
    weights = kernel(key.shape[2] // BUDGET)
    return convolved(query, key, value, mask, weights, weights)


ATTENTIONS = {
    "full": full,
    "window of 64": lambda *given: windowed(*given, BUDGET),
    "window of 64, causal": lambda *given: causal_windowed(*given, BUDGET),
    "window of 64, 4 global": lambda *given: windowed_with_global(*given, BUDGET, GLOBAL),
    "elu + 1": lambda *given: linearised(*given, elu_features),
    "elu + 1, causal": lambda *given: causal_linearised(*given, elu_features),
    "256 random features": lambda *given: linearised(*given, FEATURES),
    "64 means": lambda q, k, v, mask: compressed(q, k, v, mask, k.shape[2] // BUDGET),
    "64 convolved keys": convolved_to_budget,
    "64 clusters": lambda *given: clustered(*given, BUDGET),
    "rank 64": lambda *given: projected(*given, MIXING, MIXING),
    "ALiBi, all keys": lambda *given: with_prior(*given, LINES[given[0].shape[2]]),
    "bell, 64 near keys": lambda *given: with_near_prior(*given, BELL),
    "2 groups of heads": fewer(grouped_query, 2),
    "one group of heads": fewer(multi_query, 1),
    "talking heads": lambda *given: talking_heads(*given, SAME, SAME),
}
"""All of them exact, or with a budget that does not grow."""

SQUARE = {
    "full",
    "ALiBi, all keys",
    "2 groups of heads",
    "one group of heads",
    "talking heads",
}


def least_seconds(attention, given, tries):
    taken = []
    for _ in range(tries):
        began = time.perf_counter()
        attention(*given)
        taken.append(time.perf_counter() - began)
    return min(taken)


@pytest.fixture
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_each_attention_against_pytorchs(capsys, one_thread):
    ratios = {name: [] for name in ATTENTIONS}
    chance = torch.Generator().manual_seed(0)
    for length in LENGTHS:
        given = [torch.randn(1, HEADS, length, SIZE, generator=chance) for _ in range(3)]
        given.append(torch.ones(1, 1, 1, length, dtype=torch.bool))
        with torch.no_grad():
            peer = least_seconds(sdpa, given, TRIES[length])
            for name, attention in ATTENTIONS.items():
                ratios[name].append(least_seconds(attention, given, TRIES[length]) / peer)
    with capsys.disabled():
        print(f"\n{'seconds / seconds of SDPA':26}", *(f"{length:>7}" for length in LENGTHS))
        for name, found in ratios.items():
            print(f"{name:26}", *(f"{ratio:7.2f}" for ratio in found))
    for name in set(ATTENTIONS) - SQUARE:
        assert ratios[name][-1] < 1, f"{name}: {ratios[name][-1]:.2f} times SDPA at 4096"
        assert ratios[name][-1] < ratios[name][0], f"{name} does not gain as the text grows"

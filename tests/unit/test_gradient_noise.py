"""Scatter and bias of estimates, on estimates whose scatter and bias are known."""

import pytest
import torch
from torch import nn

from seq2bert.batching import Batch
from seq2bert.gradient_noise import gradient, measure
from seq2bert.training import cross_entropy


class Bigram(nn.Module):
    """The next word from the last one; the source is not read."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(3, 3))
        self.unused = nn.Parameter(torch.zeros(2))

    def forward(self, source, source_mask, target_in):
        return self.table[target_in].log_softmax(-1), {}


def batch():
    ids, real = torch.tensor([[0, 1]]), torch.ones(1, 2, dtype=torch.bool)
    return Batch(ids, real, ids, torch.tensor([[1, 2]]), real, (0,))


def test_the_gradient_is_that_of_the_cross_entropy_in_one_row():
    model = Bigram()
    found = gradient(model, batch(), model.parameters())
    log_probs, _ = model(None, None, batch().target_in)
    cross_entropy(log_probs, batch().target_out, batch().target_mask).backward()
    assert torch.equal(found[:9], model.table.grad.flatten())
    assert (found[9:] == 0).all()
    # by hand: (1/3 - 1) / 2 at the word that came, 1/3 / 2 at the others
    assert torch.allclose(found[:3], torch.tensor([1 / 6, -1 / 3, 1 / 6]))


def test_variance_and_bias_are_measured_in_squared_lengths_of_the_gradient():
    exact, off = torch.tensor([3.0, 4.0]), torch.tensor([0.0, 5.0])
    chance = torch.Generator().manual_seed(0)
    noise = measure(lambda: exact + off + 2 * torch.randn(2, generator=chance), exact, 20_000)
    assert noise.variance == pytest.approx(2 * 4 / 25, rel=0.05)
    assert noise.bias == pytest.approx(25 / 25, rel=0.05)


def test_few_draws_add_nothing_to_the_bias():
    exact = torch.ones(50)
    chance = torch.Generator().manual_seed(0)
    found = [
        measure(lambda: exact + torch.randn(50, generator=chance), exact, 4).bias
        for _ in range(300)
    ]
    assert abs(sum(found) / 300) < 0.02  # uncorrected it would be 1/4


@pytest.mark.parametrize(("exact", "draws"), [(torch.ones(2), 1), (torch.zeros(2), 9)])
def test_what_cannot_be_measured_is_refused(exact, draws):
    with pytest.raises(ValueError, match=f"{draws} draws, a gradient of length"):
        measure(lambda: torch.ones(2), exact, draws)

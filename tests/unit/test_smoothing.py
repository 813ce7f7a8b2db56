"""Label smoothing: the definition by hand, and the wrapper against it."""

import pytest
import torch
from torch import nn

from seq2bert.losses import categorical_cross_entropy
from seq2bert.smoothing import LabelSmoothing, smooth_labels
from seq2bert.training import cross_entropy


class Fixed(nn.Module):
    """A model that always gives the same log-probabilities."""

    def __init__(self, logits):
        super().__init__()
        self.logits = nn.Parameter(logits)

    def forward(self, source, source_mask, target_in):
        return self.logits.log_softmax(-1), {}


def case():
    torch.manual_seed(0)
    labels = torch.randint(5, (2, 3))
    mask = torch.tensor([[True, True, True], [True, False, False]])
    return Fixed(torch.randn(2, 3, 5)), labels, mask


def test_smoothed_labels_by_hand():
    smooth = smooth_labels(torch.tensor([1]), 4, 0.2)
    assert smooth.tolist() == [pytest.approx([0.05, 0.85, 0.05, 0.05])]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_the_loss_of_the_wrapper_is_that_of_smoothed_labels_in_value_and_gradient(share):
    model, labels, mask = case()
    ours, _ = LabelSmoothing(model, share).train()(labels, mask, labels)
    loss = cross_entropy(ours, labels, mask)
    (gradient,) = torch.autograd.grad(loss, model.logits)
    log_probs, _ = model(None, None, None)
    expected = categorical_cross_entropy(log_probs, smooth_labels(labels, 5, share), mask)
    (expected_gradient,) = torch.autograd.grad(expected, model.logits)
    assert torch.allclose(loss, expected, atol=1e-6)
    assert torch.allclose(gradient, expected_gradient, atol=1e-6)


def test_nothing_is_smoothed_in_eval_mode():
    model, labels, mask = case()
    smoothed, _ = LabelSmoothing(model, 0.3).eval()(labels, mask, labels)
    assert torch.equal(smoothed, model(None, None, None)[0])


@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_a_share_out_of_range_is_refused(share):
    with pytest.raises(ValueError, match="share is"):
        LabelSmoothing(nn.Identity(), share)
    with pytest.raises(ValueError, match="share is"):
        smooth_labels(torch.tensor([0]), 3, share)

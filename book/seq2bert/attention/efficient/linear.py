"""Linearised attention: features of queries and keys in place of the exponential of their product.

With weights phi(q_i) . phi(k_j) the sum over the keys can be done first, once for all queries:

    sum_j (phi(q_i) . phi(k_j)) v_j  =  phi(q_i) (sum_j phi(k_j) v_j^T)

which costs n m d for m features, not n^2 d. The matrix in brackets is a memory of fixed size.
"""

import math
from collections.abc import Callable

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional

from seq2bert.attention.efficient.masks import at_least, key_mask, same_length, without_padding

FeatureMap = Callable[[Tensor], Tensor]


def elu_features(vectors: Float[Tensor, "*batch size"]) -> Float[Tensor, "*batch size"]:
    """elu(x) + 1, above 0 (Katharopoulos et al., 2020, eq. 7); not meant to equal softmax."""
    return functional.elu(vectors) + 1


def polynomial_features(vectors: Float[Tensor, "*batch size"]) -> Float[Tensor, "*batch features"]:
    """All products x_a x_b, size^2 of them: phi(q) . phi(k) = (q . k)^2, exactly."""
    products = einsum(vectors, vectors, "... a, ... b -> ... a b")
    return rearrange(products, "... a b -> ... (a b)")


class RandomFeatures:
    """exp(w_r . x - |x|^2 / 2) / sqrt(m) for m random directions w_r (Choromanski et al., 2021).

    For w ~ N(0, I) the mean of phi(q) . phi(k) is exp(q . k), so this estimates softmax; with
    x / d^(1/4) in place of x, scaled softmax. All features are positive, so no weight is negative.
    The directions are orthogonal in groups of `size`, which makes the estimate less noisy.

    Args:
        size: d, of queries and keys.
        features: m.
        seed: of the directions.

    Raises:
        ValueError: a number is not positive.
    """

    def __init__(self, size: int, features: int, seed: int = 0) -> None:
        at_least("size", size, 1)
        at_least("features", features, 1)
        chance = torch.Generator().manual_seed(seed)
        groups = torch.randn(-(-features // size), size, size, generator=chance)
        turned, triangle = torch.linalg.qr(groups)
        # LAPACK chooses signs; with these the rotation is uniform (Mezzadri, 2007), without, biased
        turned = turned * triangle.diagonal(dim1=-2, dim2=-1).sign().unsqueeze(-2)
        lengths = torch.randn(*groups.shape, generator=chance).norm(dim=-1, keepdim=True)
        self.directions = rearrange(turned * lengths, "g f d -> (g f) d")[:features]

    def __call__(self, vectors: Float[Tensor, "*batch size"]) -> Float[Tensor, "*batch features"]:
        """The features of queries or of keys."""
        scaled = vectors / math.sqrt(math.sqrt(vectors.shape[-1]))
        along = einsum(scaled, self.directions.to(vectors), "... d, f d -> ... f")
        size = scaled.square().sum(dim=-1, keepdim=True) / 2
        features: Tensor = (along - size).exp()
        return features / math.sqrt(len(self.directions))


def linearised(
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch head key size"],
    value: Float[Tensor, "batch head key value"],
    mask: Bool[Tensor, "#batch #head #query key"],
    feature_map: FeatureMap = elu_features,
) -> Float[Tensor, "batch head query value"]:
    """Attention with the weights phi(q) . phi(k) / sum, keys summed first.

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a key is real, (batch, 1 or head, 1, key).
        feature_map: phi, of queries and of keys alike.

    Returns:
        the contexts; 0 where no key is real. There are no weights to give: they are never there.

    Raises:
        ValueError: the mask differs between queries, or does not fit.
    """
    asked = feature_map(query)
    answers = without_padding(feature_map(key), key_mask(mask, key))
    memory = einsum(answers, value, "b h k f, b h k v -> b h f v")
    total = einsum(asked, answers.sum(dim=2), "b h q f, b h f -> b h q")
    return divided(einsum(asked, memory, "b h q f, b h f v -> b h q v"), total)


def causal_linearised(
    query: Float[Tensor, "batch head length size"],
    key: Float[Tensor, "batch head length size"],
    value: Float[Tensor, "batch head length value"],
    mask: Bool[Tensor, "#batch #head #query length"],
    feature_map: FeatureMap = elu_features,
    chunk: int = 64,
) -> Float[Tensor, "batch head length value"]:
    """`linearised`, each query with the keys up to its own place: the sums run along.

    What lies before a chunk has been added up; within it, weights are computed and masked. With
    chunks of 1 this is a recurrent network (Katharopoulos et al., 2020, section 3.4).

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a key is real, (batch, 1 or head, 1, key).
        feature_map: phi.
        chunk: how many queries at a time; it changes the cost, not the result.

    Returns:
        the contexts; 0 for a query with no real key up to its place.

    Raises:
        ValueError: the chunk is not positive, the mask differs between queries, or does not fit.
    """
    at_least("chunk", chunk, 1)
    same_length(query, key)
    asked = feature_map(query)
    answers = without_padding(feature_map(key), key_mask(mask, key))
    batch, head, _, width = answers.shape
    memory = answers.new_zeros(batch, head, width, value.shape[3])
    features = answers.new_zeros(batch, head, width)
    contexts = []
    for q, k, v in zip(
        *(torch.split(x, chunk, dim=2) for x in (asked, answers, value)), strict=True
    ):
        here = einsum(q, k, "b h i f, b h j f -> b h i j").tril()
        context = einsum(q, memory, "b h i f, b h f v -> b h i v") + here @ v
        total = einsum(q, features, "b h i f, b h f -> b h i") + here.sum(dim=-1)
        contexts.append(divided(context, total))
        memory = memory + einsum(k, v, "b h j f, b h j v -> b h f v")
        features = features + k.sum(dim=2)
    return torch.cat(contexts, dim=2)


def divided(
    context: Float[Tensor, "batch head query value"], total: Float[Tensor, "batch head query"]
) -> Float[Tensor, "batch head query value"]:
    """The context over the sum of its weights, 0 where that sum is 0, with finite gradients."""
    total = rearrange(total, "b h q -> b h q 1")
    nothing = total == 0
    return (context / total.masked_fill(nothing, 1.0)).masked_fill(nothing, 0.0)

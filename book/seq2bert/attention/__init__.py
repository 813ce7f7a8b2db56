"""Attention, part by part: the energy, the distribution, and what is made of them.

`energies`       e = f(q, k): eleven ways to compare a query with a key
`distributions`  weights = g(e): softmax, sparsemax and sigmoid, all with masks
`energy_layers`  the energies with parameters of their own, as modules
`soft`           a weighted mean of all values: the attention of 2015
`hard`           one value, drawn by chance: exact sums, and estimates of them
`local`          a weighted mean inside a window
`pooling`        a learned question: one weight for each item, or one for each of its features
`heads`          several questions at once
`co`             two sequences that ask each other
`hierarchical`   words, then sentences
`places`         places of a picture, and a piece that is cut out at one
`efficient`      cheaper attention: six families, each with the call of full attention
`block_recurrent`  a block of tokens and a state that is carried on
"""

from seq2bert.attention.distributions import masked_sigmoid, masked_softmax, sparsemax
from seq2bert.attention.energies import (
    activated_general_energy,
    additive_energy,
    biased_general_energy,
    concat_energy,
    cosine_energy,
    deep_energy,
    distance_energy,
    dot_energy,
    general_energy,
    location_energy,
    scaled_dot_energy,
)
from seq2bert.attention.soft import AdditiveAttention

__all__ = [
    "AdditiveAttention",
    "activated_general_energy",
    "additive_energy",
    "biased_general_energy",
    "concat_energy",
    "cosine_energy",
    "deep_energy",
    "distance_energy",
    "dot_energy",
    "general_energy",
    "location_energy",
    "masked_sigmoid",
    "masked_softmax",
    "scaled_dot_energy",
    "sparsemax",
]

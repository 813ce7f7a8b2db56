"""The energies with parameters of their own, each a module called as `energy(query, key)`."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from seq2bert.attention import energies

Queries = Float[Tensor, "*batch query query_size"]
Keys = Float[Tensor, "*batch key key_size"]
Energies = Float[Tensor, "*batch query key"]


def matrix(rows: int, columns: int) -> nn.Parameter:
    """A weight whose product with a unit-variance vector has unit variance."""
    return nn.Parameter(torch.randn(rows, columns) * columns**-0.5)


class Plain(nn.Module):
    """An energy without parameters: `dot_energy`, `scaled_dot_energy`, `cosine_energy`, ..."""

    def __init__(self, energy: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.energy = energy

    def forward(self, query: Queries, key: Keys) -> Energies:
        """The energy of each pair."""
        return self.energy(query, key)


class Cosine(nn.Module):
    """beta cos(q, k), with a learned strength beta > 0 (Graves et al., 2014)."""

    def __init__(self, strength: float = 8.0) -> None:
        super().__init__()
        self.log_strength = nn.Parameter(torch.tensor(strength).log())

    def forward(self, query: Queries, key: Keys) -> Energies:
        """The energy of each pair."""
        return self.log_strength.exp() * energies.cosine_energy(query, key)


class General(nn.Module):
    """q W k."""

    def __init__(self, query_size: int, key_size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(matrix(query_size, key_size) * key_size**-0.5)

    def forward(self, query: Queries, key: Keys) -> Energies:
        """The energy of each pair."""
        return energies.general_energy(query, key, self.weight)


class BiasedGeneral(nn.Module):
    """(q W + b) . k."""

    def __init__(self, query_size: int, key_size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(matrix(query_size, key_size) * key_size**-0.5)
        self.bias = nn.Parameter(torch.zeros(key_size))

    def forward(self, query: Queries, key: Keys) -> Energies:
        """The energy of each pair."""
        return energies.biased_general_energy(query, key, self.weight, self.bias)


class ActivatedGeneral(nn.Module):
    """act(q W k + b)."""

    def __init__(
        self, query_size: int, key_size: int, activation: energies.Activation = torch.tanh
    ) -> None:
        super().__init__()
        self.activation = activation
        self.weight = nn.Parameter(matrix(query_size, key_size) * key_size**-0.5)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, query: Queries, key: Keys) -> Energies:
        """The energy of each pair."""
        return energies.activated_general_energy(
            query, key, self.weight, self.bias, self.activation
        )


class Additive(nn.Module):
    """v . tanh(W q + U k)."""

    def __init__(self, query_size: int, key_size: int, energy_size: int) -> None:
        super().__init__()
        self.query = nn.Linear(query_size, energy_size)
        self.key = nn.Linear(key_size, energy_size, bias=False)
        self.vector = nn.Parameter(torch.randn(energy_size) * energy_size**-0.5)

    def forward(self, query: Queries, key: Keys) -> Energies:
        """The energy of each pair."""
        return energies.additive_energy(self.query(query), self.key(key), self.vector)


class Concat(nn.Module):
    """v . tanh(W [q; k])."""

    def __init__(self, query_size: int, key_size: int, energy_size: int) -> None:
        super().__init__()
        self.weight = matrix(energy_size, query_size + key_size)
        self.vector = nn.Parameter(torch.randn(energy_size) * energy_size**-0.5)

    def forward(self, query: Queries, key: Keys) -> Energies:
        """The energy of each pair."""
        return energies.concat_energy(query, key, self.weight, self.vector)


class Location(nn.Module):
    """(W q)_j, for at most `places` keys."""

    def __init__(self, query_size: int, places: int) -> None:
        super().__init__()
        self.weight = matrix(places, query_size)

    def forward(self, query: Queries, key: Keys) -> Energies:
        """The energy of each pair."""
        return energies.location_energy(query, key, self.weight)


class Deep(nn.Module):
    """v . tanh(W_2 tanh(W_1 [q; k] + b_1) + b_2)."""

    def __init__(self, query_size: int, key_size: int, energy_size: int) -> None:
        super().__init__()
        self.first = nn.Linear(query_size + key_size, energy_size)
        self.second = nn.Linear(energy_size, energy_size)
        self.vector = nn.Parameter(torch.randn(energy_size) * energy_size**-0.5)

    def forward(self, query: Queries, key: Keys) -> Energies:
        """The energy of each pair."""
        layers = [(layer.weight, layer.bias) for layer in (self.first, self.second)]
        return energies.deep_energy(query, key, layers, self.vector)


MAKERS: dict[str, Callable[[int, int, int], nn.Module]] = {
    "dot": lambda query, key, hidden: Plain(energies.dot_energy),
    "scaled dot": lambda query, key, hidden: Plain(energies.scaled_dot_energy),
    "cosine": lambda query, key, hidden: Plain(energies.cosine_energy),
    "cosine, strength": lambda query, key, hidden: Cosine(),
    "distance": lambda query, key, hidden: Plain(energies.distance_energy),
    "general": lambda query, key, hidden: General(query, key),
    "biased general": lambda query, key, hidden: BiasedGeneral(query, key),
    "activated general, tanh": lambda query, key, hidden: ActivatedGeneral(query, key),
    "activated general, ReLU": lambda query, key, hidden: ActivatedGeneral(query, key, torch.relu),
    "additive": Additive,
    "concat": Concat,
    "deep": Deep,
    "location": lambda query, key, hidden: Location(query, 64),
}
"""How to make each energy from the widths of query, key and hidden layer."""

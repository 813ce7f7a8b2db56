"""What every translator of the book can do; decoding, metrics and widgets ask for no more.

A translator reads the source once (`encode`), begins a translation (`start`) and writes it one
token at a time (`step`). What it remembers of the source (the memory) and of the translation so
far (the state) are dictionaries of tensors whose first axis is the batch, so that whoever decodes
can repeat, reorder and drop sentences without knowing what is inside.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from jaxtyping import Bool, Float, Int
from torch import Tensor

from seq2bert.attention_map import Kind

Tree = dict[str, Tensor]
Attention = dict[Kind, Float[Tensor, "batch layer head query key"]]


@dataclass(frozen=True)
class Interventions:
    """What one may change in a trained translator while it runs.

    Attributes:
        head_mask: for a kind of attention a factor for each of its heads, shape (layer, head);
            0 switches a head off (its context becomes 0), 1 leaves it alone.
        scale: a factor for every energy before the softmax; 0 makes attention uniform, a large
            one makes it hard.
        temperature: divides the logits of the output; below 1 the model is surer of itself.
        causal: whether a position may look only at itself and what came before; only a model
            with attention among target positions can change it.
    """

    head_mask: Mapping[Kind, Tensor] = field(default_factory=dict)
    scale: float | Tensor = 1.0
    temperature: float | Tensor = 1.0
    causal: bool = True


NO_INTERVENTIONS = Interventions()


@runtime_checkable
class Translator(Protocol):
    """The protocol of every translator in the book."""

    def encode(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> Tree:
        """Read the source. The memory holds at least ``mask``, shape (batch, source)."""
        ...

    def start(self, memory: Tree) -> Tree:
        """The state before the first target token."""
        ...

    def step(
        self,
        token: Int[Tensor, "batch"],
        state: Tree,
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch vocabulary"], Tree, Attention]:
        """Read one target token; give log-probabilities of the next, a new state, attention.

        Attention holds, for each kind that the model has, the weights of this one step, shape
        (batch, layer, head, 1, key).
        """
        ...


def select(tree: Tree, rows: Int[Tensor, "rows"]) -> Tree:
    """The given rows of every tensor in a memory or a state; a row may be taken several times."""
    return {name: tensor.index_select(0, rows) for name, tensor in tree.items()}

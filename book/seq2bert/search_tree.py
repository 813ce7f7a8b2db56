"""What beam search looked at on its way: a tree of beginnings, those kept and those dropped."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from seq2bert import beam
from seq2bert.beam import Hypothesis
from seq2bert.translator import NO_INTERVENTIONS, Interventions, Translator, Tree
from seq2bert.vocabulary import Vocabulary


@dataclass(frozen=True)
class Node:
    """One token after a beginning.

    Attributes:
        parent: the place of the beginning in the list of nodes; -1 for the empty one.
        step: how many tokens the beginning has with this one, 1 or more.
        token: the id of this token.
        log_prob: of the beginning with this token, in nats.
        kept: whether the search went on with it, or, if finished, holds it as a result.
        finished: whether the token is `<eos>`.
    """

    parent: int
    step: int
    token: int
    log_prob: float
    kept: bool
    finished: bool


@dataclass(frozen=True)
class SearchTree:
    """All that a search looked at.

    Attributes:
        nodes: parents before children, step by step; those of one parent the likeliest first.
        found: the places of the nodes at which the results end, in the order of `beam.search`.
    """

    nodes: tuple[Node, ...]
    found: tuple[int, ...]

    def tokens(self, place: int) -> tuple[int, ...]:
        """The whole beginning that ends at a node."""
        written: list[int] = []
        while place >= 0:
            written.append(self.nodes[place].token)
            place = self.nodes[place].parent
        return tuple(reversed(written))

    def score(self, place: int, length_penalty: float | int) -> float:
        """`Hypothesis.score` of a node."""
        node = self.nodes[place]
        return node.log_prob / float(node.step**length_penalty)


def grow(
    model: Translator,
    memory: Tree,
    vocabulary: Vocabulary,
    width: int = 4,
    max_length: int = 60,
    length_penalty: float | int = 1.0,
    interventions: Interventions = NO_INTERVENTIONS,
) -> SearchTree:
    """The tree of `beam.search`: for each step what a beam of that width could have kept.

    These are the likeliest `width` continuations of each live hypothesis: no beam of that width
    can keep more of one. What has probability 0 is left out.

    Args:
        model: a translator in eval mode.
        memory: what `model.encode` gave for this one sentence (batch 1).
        vocabulary: of the target.
        width: how many hypotheses are kept, at least 1.
        max_length: at most so many tokens are written, `<eos>` not counted.
        length_penalty: what the results are ranked by.
        interventions: changes to the running model.

    Raises:
        ValueError: as `beam.search`.
    """
    nodes: list[Node] = []
    places: dict[tuple[int, ...], int] = {(): -1}

    def watch(
        live: Sequence[Hypothesis], log_probs: Tensor, chosen: Sequence[tuple[int, int]]
    ) -> None:
        kept = set(chosen)
        for row, hypothesis in enumerate(live):
            step = len(hypothesis.tokens) + 1
            for _, token in beam.likeliest([hypothesis], log_probs[row : row + 1], width):
                finished = token == vocabulary.eos
                # at the limit only <eos> may still come
                stays = (row, token) in kept and (finished or step <= max_length)
                places[(*hypothesis.tokens, token)] = len(nodes)
                log_prob = hypothesis.log_prob + float(log_probs[row, token])
                parent = places[hypothesis.tokens]
                nodes.append(Node(parent, step, token, log_prob, stays, finished))

    results = beam.search(
        model,
        memory,
        vocabulary,
        width,
        max_length=max_length,
        length_penalty=float(length_penalty),
        interventions=interventions,
        watch=watch,
    )
    return SearchTree(tuple(nodes), tuple(places[result.tokens] for result in results))

"""Two translators with attention as well-known tutorials describe them, in our own words.

Both follow the published sizes and settings of their tutorial and speak this book's translator
protocol, so that the same code decodes and scores them.
"""

import torch
from torch import Tensor, nn

from seq2bert.translator import NO_INTERVENTIONS, Attention, Interventions, Tree


class DocumentationPeer(nn.Module):
    """As in the sequence-to-sequence tutorial of PyTorch's documentation (2023 and later).

    GRU of width 128 in one direction, additive attention without a mask, dropout 0.1, batches of
    32, Adam with 1e-3, always teacher forced, loss over padded positions too.
    """

    batch_size = 32
    learning_rate = 1e-3
    clip = None
    masks_loss = False

    def __init__(self, source_size: int, target_size: int, hidden: int = 128) -> None:
        super().__init__()
        self.source_embedding = nn.Embedding(source_size, hidden)
        self.encoder = nn.GRU(hidden, hidden, batch_first=True)
        self.target_embedding = nn.Embedding(target_size, hidden)
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.energy = nn.Linear(hidden, 1)
        self.decoder = nn.GRUCell(2 * hidden, hidden)
        self.output = nn.Linear(hidden, target_size)
        self.dropout = nn.Dropout(0.1)

    def encode(
        self, source: Tensor, source_mask: Tensor, interventions: Interventions = NO_INTERVENTIONS
    ) -> Tree:
        """Every position is kept, padding included: this peer has no mask."""
        states, last = self.encoder(self.dropout(self.source_embedding(source)))
        return {"states": states, "last": last[0], "mask": source_mask}

    def start(self, memory: Tree) -> Tree:
        """The last encoder state."""
        return {"hidden": memory["last"]}

    def step(
        self,
        token: Tensor,
        state: Tree,
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Tensor, Tree, Attention]:
        """Attend with the state, then advance."""
        word = self.dropout(self.target_embedding(token))
        hidden, states = state["hidden"], memory["states"]
        energy = self.energy(torch.tanh(self.query(hidden).unsqueeze(1) + self.key(states)))
        weights = energy.squeeze(2).softmax(-1)
        context = torch.bmm(weights.unsqueeze(1), states).squeeze(1)
        hidden = self.decoder(torch.cat([word, context], -1), hidden)
        log_probs = self.output(hidden).log_softmax(-1)
        return log_probs, {"hidden": hidden}, {"cross": weights[:, None, None, None]}


class CoursePeer(nn.Module):
    """As in the third notebook of the widely read PyTorch course on sequence to sequence.

    Bidirectional GRU of width 512, embeddings of width 256, additive attention, dropout 0.5,
    batches of 128, Adam with 1e-3, clipping at 1, teacher forcing half of the time.
    """

    batch_size = 128
    learning_rate = 1e-3
    clip = 1.0
    masks_loss = True
    teacher_forcing = 0.5

    def __init__(
        self, source_size: int, target_size: int, embedding: int = 256, hidden: int = 512
    ) -> None:
        super().__init__()
        self.source_embedding = nn.Embedding(source_size, embedding)
        self.encoder = nn.GRU(embedding, hidden, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden, hidden)
        self.target_embedding = nn.Embedding(target_size, embedding)
        self.attention = nn.Linear(3 * hidden, hidden)
        self.energy = nn.Linear(hidden, 1, bias=False)
        self.decoder = nn.GRUCell(2 * hidden + embedding, hidden)
        self.output = nn.Linear(3 * hidden + embedding, target_size)
        self.dropout = nn.Dropout(0.5)
        for name, parameter in self.named_parameters():
            if "weight" in name:
                nn.init.normal_(parameter, std=0.01)
            else:
                nn.init.zeros_(parameter)

    def encode(
        self, source: Tensor, source_mask: Tensor, interventions: Interventions = NO_INTERVENTIONS
    ) -> Tree:
        """States of both directions, packed, so that padding is left out."""
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.source_embedding(source)),
            source_mask.sum(1).cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        states, last = self.encoder(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(
            states, batch_first=True, total_length=source.shape[1]
        )
        start = torch.tanh(self.bridge(torch.cat([last[0], last[1]], -1)))
        return {"states": states, "start": start, "mask": source_mask}

    def start(self, memory: Tree) -> Tree:
        """A bridge from both final states."""
        return {"hidden": memory["start"]}

    def step(
        self,
        token: Tensor,
        state: Tree,
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Tensor, Tree, Attention]:
        """The energy of the concatenation is computed anew at every step, as described there."""
        word = self.dropout(self.target_embedding(token))
        hidden, states = state["hidden"], memory["states"]
        repeated = hidden.unsqueeze(1).expand(-1, states.shape[1], -1)
        energy = self.energy(torch.tanh(self.attention(torch.cat([repeated, states], -1))))
        weights = energy.squeeze(2).masked_fill(~memory["mask"], -1e10).softmax(-1)
        context = torch.bmm(weights.unsqueeze(1), states).squeeze(1)
        hidden = self.decoder(torch.cat([word, context], -1), hidden)
        log_probs = self.output(torch.cat([hidden, context, word], -1)).log_softmax(-1)
        return log_probs, {"hidden": hidden}, {"cross": weights[:, None, None, None]}


Peer = DocumentationPeer | CoursePeer


def forward(
    peer: Peer, batch_source: Tensor, mask: Tensor, target_in: Tensor
) -> tuple[Tensor, Tensor]:
    """Log-probabilities and attention of all steps, with the peer's own teacher forcing."""
    memory = peer.encode(batch_source, mask)
    state, token = peer.start(memory), target_in[:, 0]
    outputs, weights = [], []
    forced = getattr(peer, "teacher_forcing", 1.0) if peer.training else 1.0
    for position in range(target_in.shape[1]):
        log_probs, state, attention = peer.step(token, state, memory)
        outputs.append(log_probs)
        weights.append(attention["cross"])
        if position + 1 < target_in.shape[1]:
            use_reference = forced == 1.0 or torch.rand(()).item() < forced
            token = target_in[:, position + 1] if use_reference else log_probs.argmax(-1)
    return torch.stack(outputs, 1), torch.cat(weights, dim=3)

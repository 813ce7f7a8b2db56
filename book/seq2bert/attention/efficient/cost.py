"""What a computation costs, counted and not timed: multiplications, and bytes at the same time."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode


def _fused(query: torch.Size, key: torch.Size, value: torch.Size, *_: Any, **__: Any) -> int:
    """Operations of PyTorch's fused attention: q . k and weights times v, as if written out."""
    batch, head, queries, size = query
    return 2 * batch * head * queries * key[2] * (size + value[3])


# PyTorch's own counter knows fused attention on graphics processors only.
FUSED = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _fused}


def multiplications(compute: Callable[[], object]) -> int:
    """How many numbers are multiplied in matrix products; element-wise ones are not counted."""
    with torch.no_grad(), FlopCounterMode(display=False, custom_mapping=FUSED) as counter:
        compute()
    operations: int = counter.get_total_flops()  # a multiplication and an addition are two
    return operations // 2


def peak_bytes(compute: Callable[[], object]) -> int:
    """The most bytes that tensors made meanwhile occupy at the same time, without gradients.

    What exists before is not counted, nor what an operation needs inside itself.
    """
    live = _LiveBytes()
    with torch.no_grad(), live:
        compute()
    return live.peak


class _LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Follows each tensor that an operation returns until its memory is given back."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.peak = 0
        self.known: dict[int, tuple[StorageWeakRef, int]] = {}

    def __torch_dispatch__(
        self, operation: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = operation(*args, **(kwargs or {}))
        given = {x.untyped_storage().data_ptr() for x in tree_leaves(args) if isinstance(x, Tensor)}
        self.known = {
            place: (reference, size)
            for place, (reference, size) in self.known.items()
            if not reference.expired()  # type: ignore[no-untyped-call]
        }
        for made in tree_leaves(result):
            if isinstance(made, Tensor):
                storage = made.untyped_storage()
                if storage.data_ptr() in self.known or storage.data_ptr() in given:
                    continue
                reference = StorageWeakRef(storage)  # type: ignore[no-untyped-call]
                self.known[storage.data_ptr()] = (reference, storage.nbytes())
        self.peak = max(self.peak, sum(size for _, size in self.known.values()))
        return result

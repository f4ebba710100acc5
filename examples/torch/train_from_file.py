"""A small model trained on a file that is larger than the memory it may use.

    python examples/torch/train_from_file.py [--rows N]

The table has 128 features and a label in each row, 4 bytes each. After the libraries are loaded, the process may take half as many
bytes of memory as the file has (``RLIMIT_DATA``: its own memory, and not pages of files, which the system can drop). So the file
cannot be read whole, which is shown first. The model, a logistic regression, then reads random batches, each by one call. Losses fall,
and the weights that made the labels are found.
"""

import argparse
import pathlib
import resource
import tempfile

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

import takewise

FEATURES = 128


def write(path, rows):
    """A table whose labels follow from its features: those of positive weighted sum are 1."""
    weights = np.random.default_rng(0).standard_normal(FEATURES).astype("f4")
    table = np.lib.format.open_memmap(path, mode="w+", dtype="f4", shape=(rows, FEATURES + 1))
    for start in range(0, rows, 10_000):
        part = table[start : start + 10_000]
        part[:, :-1] = np.random.default_rng(start).standard_normal((len(part), FEATURES), "f4")
        part[:, -1] = part[:, :-1] @ weights > 0
    return torch.from_numpy(weights)


def limit_memory(size):
    """Allows the process this many bytes beyond those it has."""
    with open("/proc/self/status") as status:
        (has,) = (int(line.split()[1]) << 10 for line in status if line.startswith("VmData"))
    resource.setrlimit(resource.RLIMIT_DATA, (has + size, has + size))


def train(table, epochs=1):
    """Losses at the start and at the end, and the model."""
    model = nn.Linear(FEATURES, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for _ in range(epochs):
        for batch in DataLoader(table, batch_size=1000, shuffle=True):
            loss = nn.functional.binary_cross_entropy_with_logits(model(batch[:, :-1]).squeeze(1), batch[:, -1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses[0], losses[-1], model


def main(rows):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train(torch.zeros(2000, FEATURES + 1))  # what is loaded at first use takes memory too
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.npy"
        weights = write(path, rows)
        size = path.stat().st_size
        limit_memory(size // 2)
        try:
            np.load(path)
        except MemoryError:
            print(f"{size >> 20} MiB do not fit into {size >> 21} MiB")
        with takewise.open(path) as table:
            first, last, model = train(table)
        alike = nn.functional.cosine_similarity(model.weight[0], weights, dim=0)
        print(f"loss {first:.2f} to {last:.2f}, weights found to {alike:.3f}")
        return first, last, alike


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    main(parser.parse_args().rows)

"""Four small PyTorch programs that are bound by indexing, or not, each trained for some steps four ways with equal results.

    python examples/torch/programs.py [--small]

``alone`` is PyTorch by itself, ``accelerated`` the same program under ``takewise.accelerate_torch()``, ``all`` with all
operators named, and ``checked`` under ``takewise.torch_errors()``. Losses and gradients of all steps have to agree. The graph, the
tokens and the boxes are made by the rules that are stated beside them.
"""

import argparse
import contextlib
import functools
import time

import torch
from torch import nn

import takewise


class GraphSage(nn.Module):
    """Two layers that take the mean of sampled neighbours."""

    def __init__(self, nodes, width, samples):
        super().__init__()
        # Neighbours of node k are k * k + 1, k * k + 3, and so on: a fixed graph with popular nodes.
        steps = torch.arange(16) * 2 + 1
        self.neighbours = (torch.arange(nodes).square().unsqueeze(1) + steps) % nodes
        self.features, self.samples = torch.randn(nodes, width), samples
        self.own, self.other = nn.Linear(width, width), nn.Linear(width, width)
        self.last = nn.Linear(2 * width, 8)

    def forward(self, batch):
        chosen = torch.randint(16, (len(batch), self.samples))
        near = self.neighbours[batch].gather(1, chosen)
        source, edges = near.flatten(), torch.arange(len(batch)).repeat_interleave(self.samples)
        messages = self.other(self.features).index_select(0, source)
        mean = torch.zeros(len(batch), messages.shape[1]).index_add(0, edges, messages) / self.samples
        return self.last(torch.cat([self.own(self.features[batch]), mean], 1))


class Experts(nn.Module):
    """A router that sends each token to two of its experts."""

    def __init__(self, width, experts):
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(experts))

    def forward(self, tokens):
        weights, chosen = self.router(tokens).softmax(1).topk(2, 1)
        result = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            rows, place = (chosen == number).nonzero(as_tuple=True)
            share = weights[rows].gather(1, place.unsqueeze(1))
            result = result.index_add(0, rows, expert(tokens.index_select(0, rows)) * share)
        return result


class Words(nn.Module):
    """A sum of word vectors, whose gradient is sparse."""

    def __init__(self, words, width):
        super().__init__()
        self.vectors = nn.Embedding(words, width, sparse=True)
        self.last = nn.Linear(width, 4)

    def forward(self, text):
        return self.last(self.vectors(text).mean(1))


class Boxes(nn.Module):
    """What a detector does behind its network: the best classes, a mask of good boxes, and their corners."""

    def __init__(self, width):
        super().__init__()
        self.scores, self.corners = nn.Linear(width, 20), nn.Linear(width, 80)

    def forward(self, cells):
        scores, kind = self.scores(cells).sigmoid().max(1)
        corners = self.corners(cells).reshape(-1, 20, 4)
        corners = corners.gather(1, kind[:, None, None].expand(-1, 1, 4)).squeeze(1)
        good = (scores > scores.detach().mean()).nonzero().squeeze(1)
        order = scores[good].argsort(descending=True, stable=True)[:300]
        return corners[good][order] * scores[good[order]].unsqueeze(1)


def programs(small):
    """Each: its model, and the input of a step."""
    n = 1 if small else 20
    return {
        "GraphSAGE, sampled": (lambda: GraphSage(500 * n, 32, 8), lambda: torch.randint(500 * n, (200 * n,))),
        "mixture of experts": (lambda: Experts(32, 8), lambda: torch.randn(100 * n, 32)),
        "sparse embedding": (lambda: Words(1000 * n, 64), lambda: torch.randint(1000 * n, (32 * n, 40))),
        "boxes of a detector": (lambda: Boxes(32), lambda: torch.randn(400 * n, 32)),
    }


def train(model, batch, steps):
    """The losses of some steps, the last gradients, and the seconds of all steps but the first."""
    torch.manual_seed(7)
    model = model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses, start = [], 0.0
    for step in range(steps + 1):
        if step == 1:
            start = time.perf_counter()
        optimizer.zero_grad()
        loss = model(batch()).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    seconds = time.perf_counter() - start
    return [torch.stack(losses), *(p.grad.to_dense() for p in model.parameters())], seconds / steps


WAYS = {
    "alone": contextlib.nullcontext,
    "accelerated": takewise.accelerate_torch,
    "all": functools.partial(takewise.accelerate_torch, operators="all"),
    "checked": takewise.torch_errors,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="small models and few steps: whether results agree, not how fast")
    small = parser.parse_args().small
    print("milliseconds a step      " + "".join(f"{way:>12}" for way in WAYS))
    for name, (model, batch) in programs(small).items():
        results, fastest = {}, {}
        for _ in range(1 if small else 5):
            for way, context in WAYS.items():
                with context():
                    results[way], seconds = train(model, batch, 2 if small else 10)
                fastest[way] = min(fastest.get(way, seconds), seconds)
        for way, found in results.items():
            for got, want in zip(found, results["alone"], strict=True):
                torch.testing.assert_close(got, want, msg=lambda text, way=way: f"{name}, {way}: {text}")
        print(f"{name:<25}" + "".join(f"{1e3 * fastest[way]:12.2f}" for way in WAYS))


if __name__ == "__main__":
    main()

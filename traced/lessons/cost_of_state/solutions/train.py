"""A solution of `train`."""


def train(advance, batches, every):
    kept = [loss for i, loss in enumerate(map(advance, batches)) if i % every == 0]
    return [float(loss) for loss in kept]

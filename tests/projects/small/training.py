"""A training module of the kind that projects have; what is named `faulty` has one fault each."""

import jax
import optax
from flax import nnx

HISTORY = []


class Classifier(nnx.Module):
    def __init__(self, features, classes, *, rngs):
        self.hidden = nnx.Linear(features, 16, rngs=rngs)
        self.out = nnx.Linear(16, classes, rngs=rngs)

    def __call__(self, x):
        return self.out(nnx.relu(self.hidden(x)))


def loss_of(model, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()


def faulty_loss(model, x, y):
    loss = loss_of(model, x, y)
    HISTORY.append(loss)
    return loss


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(loss_of)(model, x, y)
    optimizer.update(model, grads)
    return loss


def batches(x, y, size):
    """Yield whole batches."""
    for start in range(0, len(x) - size + 1, size):
        yield x[start : start + size], y[start : start + size]


def faulty_batches(x, y, size):
    """Yield batches, the last of which may be shorter."""
    for start in range(0, len(x), size):
        yield x[start : start + size], y[start : start + size]


def augmented(key, x):
    shift_key, scale_key = jax.random.split(key)
    scale = jax.random.uniform(scale_key, x.shape)
    return scale * x + jax.random.normal(shift_key, x.shape)


def faulty_augmented(key, x):
    scale = jax.random.uniform(key, x.shape)
    return scale * x + jax.random.normal(key, x.shape)


def standardized(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def rewritten(x):
    centred = x - x.mean(axis=0)
    return centred / x.std(axis=0)


def faulty_rewritten(x):
    return (x - x.mean(axis=0)) / x.std()

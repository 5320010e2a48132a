"""Programs for errors of optax and Orbax, and for names that no release has any more."""

NAMES = {
    "AttributeError: is deprecated; use": "jax.device_put_sharded([x], jax.devices())",
    "ModuleNotFoundError: No module named 'jax": "import jax.abstract_arrays",
    "ImportError: cannot import name … from 'jax": "from jax.experimental import maps",
    "ImportError: cannot import name … from 'flax": "from flax import optim",
    "ModuleNotFoundError: No module named 'flax.": "import flax.optim",
    "ImportError: cannot import name … from 'optax": "from optax import AdamState",
    "ModuleNotFoundError: No module named 'optax.": "import optax.loss",
}

OPTAX = {
    "AttributeError: 'tuple' object has no attribute": "optax.adam(0.1).init(x).hyperparams",
    "TypeError: tuple indices must be integers or slices, not str": (
        "state = optax.adam(0.1).init(x)\nstate['mu']"
    ),
    "TypeError: apply_updates() missing": ("optax.apply_updates({'w': x})"),
    "TypeError: () missing … 'transition_steps'": ("optax.exponential_decay(0.1)"),
    "TypeError: () missing … 'decay_rate'": ("optax.exponential_decay(0.1, 100)"),
    "ValueError: Some parameters have no corresponding transformation": (
        "optax.partition({'a': optax.sgd(0.1)}, {'w': 'b'}).init({'w': x})"
    ),
    "TypeError: ufunc 'power' not supported for the input types": (
        "params = {'w': x, 'step': jnp.array(3)}\n"
        "rule = optax.adam(0.1)\n"
        "gradients = jax.grad(lambda p: p['w'].sum(), allow_int=True)(params)\n"
        "rule.update(gradients, rule.init(params))"
    ),
    "TypeError: float0": (
        "params = {'w': x, 'step': jnp.array(3)}\n"
        "rule = optax.adam(0.1)\n"
        "@jax.jit\n"
        "def train(params, state):\n"
        "    gradients = jax.grad(lambda p: p['w'].sum(), allow_int=True)(params)\n"
        "    return rule.update(gradients, state)\n"
        "train(params, rule.init(params))"
    ),
    "TypeError: subdtype of <class 'numpy.floating'>": (
        "optax.l2_loss(jnp.arange(3), jnp.arange(3))"
    ),
    "AttributeError: 'str' object has no attribute": (
        "optimizer, params = optax.adam(0.1), {'w': x, 'b': x}\noptimizer.update(params, params)"
    ),
    "TypeError: () missing … 'decay_steps'": "optax.cosine_decay_schedule(0.1)",
    "ValueError: indices and arr must have the same number of dimensions": (
        "optax.softmax_cross_entropy_with_integer_labels(jnp.ones((2, 3)), jnp.ones((2, 3), int))"
    ),
    "KeyError: Found multiple values for": (
        "state = optax.adamw(optax.constant_schedule(0.1)).init(x)\noptax.tree.get(state, 'count')"
    ),
    "TypeError: 'NoneType' has no len()": "optax.adam(0.1).update({'w': x}, None)",
    "AttributeError: object has no attribute 'init'": "optax.chain([optax.sgd(0.1)])",
}

#: Each gets `path`, where nothing is yet, and a checkpointer.
ORBAX = {
    "ValueError: Destination … already exists": (
        "checkpointer.save(path, {'x': x})\n"
        "checkpointer.wait_until_finished()\n"
        "checkpointer.save(path, {'x': x})"
    ),
    "ValueError: Checkpoint path should be absolute": (
        "import contextlib\n"
        "with contextlib.chdir(path.parent):\n"
        "    ocp.PyTreeCheckpointer().save('checkpoint', {'x': x})"
    ),
    "FileNotFoundError: Checkpoint at … not found": "checkpointer.restore(path)",
    "ValueError: Checkpoint for step … already exists": (
        "manager = ocp.CheckpointManager(path)\n"
        "manager.save(0, args=ocp.args.StandardSave({'x': x}))\n"
        "manager.wait_until_finished()\n"
        "manager.save(0, args=ocp.args.StandardSave({'x': x}), force=True)"
    ),
    "FileNotFoundError: No steps found": "ocp.CheckpointManager(path).restore(None)",
}

PROGRAMS = NAMES | OPTAX | ORBAX

"""Programs for errors of optax and Orbax, and for names that no release has any more."""

NAMES = {
    "ImportError: cannot import name … from 'flax.nnx'": "from flax.nnx import Dense",
    "AttributeError: is deprecated; use": "jax.device_put_sharded([x], jax.devices())",
    "ModuleNotFoundError: No module named 'jax": "import jax.abstract_arrays",
    "ImportError: cannot import name … from 'jax": "from jax.experimental import maps",
    "ImportError: cannot import name … from 'flax": "from flax import optim",
    "ModuleNotFoundError: No module named 'flax.": "import flax.optim",
    "ImportError: cannot import name … from 'optax": "from optax import AdamState",
    "ModuleNotFoundError: No module named 'optax.": "import optax.loss",
}

OPTAX = {
    "TypeError:  is not a callable object": "optax.inject_hyperparams(optax.adam(0.1))",
    "AttributeError: 'function' object has no attribute 'step'": (
        "optax.cosine_decay_schedule(0.1, 9).step()"
    ),
    "TypeError: can not serialize '": "import msgpack\nmsgpack.packb({'w': x})",
    "TypeError: 'GradientTransformation … object is not callable": "optax.sgd(0.1)({'w': x})",
    "TypeError: bad operand type for unary -: 'function'": "-optax.constant_schedule(0.1)",
    "TypeError: 'builtin_function_or_method'": (
        "plain, scheduled = optax.adam(0.1), optax.adam(optax.linear_schedule(0.1, 0.0, 10))\n"
        "scheduled.update(x, plain.init(x))"
    ),
    "TypeError: passed to function.__format__": ("'{:.3f}'.format(optax.constant_schedule(0.1))"),
    "TypeError: a real number, not 'function'": "float(optax.constant_schedule(0.1))",
    "ValueError: values to unpack (expected 3, got 2": (
        "updates, state, loss = optax.sgd(0.1).update(x, optax.sgd(0.1).init(x))"
    ),
    "TypeError: tuple indices must be integers or slices, not str": (
        "optax.sgd(0.1).update({'w': x}, optax.sgd(0.1).init({'w': x}))['w']"
    ),
    "AttributeError: object has no attribute 'init'": "optax.chain([optax.sgd(0.1)])",
    "AttributeError: 'tuple' object has no attribute 'hyperparams'": (
        "optax.adam(0.1).init(x).hyperparams"
    ),
    "TypeError: unsupported operand type(s) … 'function'": (
        "rule = optax.scale(optax.constant_schedule(0.1))\n"
        "rule.update({'w': x}, rule.init({'w': x}))"
    ),
    "AttributeError: 'list' object has no attribute 'values'": (
        "optax.piecewise_constant_schedule(0.1, [100])"
    ),
    "TypeError: unsupported operand type(s) for *: 'float' and 'dict'": (
        "rule = optax.adam(0.1)\nrule.update(x, rule.init({'w': x}))"
    ),
    "TypeError: MultiSteps.__init__() missing": "optax.MultiSteps(optax.sgd(0.1))",
    "ValueError: is out of bounds for array of dimension": (
        "optax.softmax_cross_entropy_with_integer_labels(jnp.ones((4, 5, 7)), jnp.zeros(4, int))"
    ),
    "AttributeError: 'tuple' object has no attribute": "optax.adam(0.1).init(x).mu",
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
    "AttributeError: 'dict' object has no attribute": (
        "optax.adam(0.1).update(x, [{'count': 0, 'mu': x, 'nu': x}, None])"
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
}

#: Each gets `path`, where nothing is yet, and a checkpointer.
ORBAX = {
    "TypeError: Invalid path type": "checkpointer.save({'w': x}, path)",
    "ValueError: Expected args of type `CheckpointArgs`": (
        "ocp.CheckpointManager(path).save(0, args={'w': x})"
    ),
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
    "FileNotFoundError: Metadata file … does not exist": (
        "manager = ocp.CheckpointManager(path)\n"
        "manager.save(0, args=ocp.args.StandardSave({'x': x}))\n"
        "manager.wait_until_finished()\n"
        "checkpointer.restore(path)"
    ),
    "FileNotFoundError: Individual parameter subdirectory not found": (
        "manager = ocp.CheckpointManager(path)\n"
        "manager.save(0, args=ocp.args.StandardSave({'x': x}))\n"
        "manager.wait_until_finished()\n"
        "checkpointer.restore(path, {'x': x})"
    ),
    "FileNotFoundError: No structure could be identified": (
        "manager = ocp.CheckpointManager(path)\n"
        "manager.save(0, args=ocp.args.StandardSave({'x': x}))\n"
        "manager.wait_until_finished()\n"
        "ocp.PyTreeCheckpointer().restore(path)"
    ),
    "ValueError: does not match with any registered handler": (
        "manager = ocp.CheckpointManager(path)\n"
        "manager.save(0, args=ocp.args.StandardSave({'x': x}))\n"
        "manager.wait_until_finished()\n"
        "manager.restore(0, args=ocp.args.JsonRestore())"
    ),
    "KeyError: was not found in the checkpoint": (
        "manager = ocp.CheckpointManager(path)\n"
        "manager.save(0, args=ocp.args.Composite(a=ocp.args.StandardSave({'x': x})))\n"
        "manager.wait_until_finished()\n"
        "manager.restore(0, args=ocp.args.Composite(b=ocp.args.StandardRestore()))"
    ),
    "KeyError: Unknown key": (
        "manager = ocp.CheckpointManager(path)\n"
        "manager.save(0, args=ocp.args.Composite(a=ocp.args.StandardSave({'x': x})))\n"
        "manager.wait_until_finished()\n"
        "manager.restore(0)['b']"
    ),
    "ValueError: args` of type `Composite`": (
        "manager = ocp.CheckpointManager(path)\n"
        "manager.save(0, args=ocp.args.StandardSave({'x': x}))\n"
        "manager.wait_until_finished()\n"
        "manager.restore(0, args=ocp.args.Composite(a=ocp.args.StandardRestore()))"
    ),
    "FileNotFoundError: No steps found": "ocp.CheckpointManager(path).restore(None)",
}

PROGRAMS = NAMES | OPTAX | ORBAX

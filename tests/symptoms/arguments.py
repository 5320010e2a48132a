"""Programs for errors of functions that want arguments of certain axes, sizes and dtypes."""

AXES = {
    "ValueError: only support 1-dimensional inputs": "jnp.convolve(jnp.ones((2, 5)), x)",
    "ValueError: only 1-dimensional input supported": "jnp.bincount(jnp.ones((2, 2), int))",
    "ValueError: a should be 1-dimensional": "jnp.searchsorted(jnp.ones((2, 2)), 0.5)",
    "ValueError: must be a 1-dimensional array": "jnp.digitize(x, jnp.ones((2, 2)))",
    "ValueError: x must be a one-dimensional array": "jnp.vander(jnp.ones((2, 2)))",
    "TypeError: expected 1D vector for x": "jnp.polyfit(jnp.ones((2, 3)), x, 1)",
    "ValueError: must be 1D, got shapes": "jnp.meshgrid(jnp.ones((2, 2)), x)",
    "ValueError: must be at least two-dimensional for matrix_transpose": "x.mT",
    "ValueError: requires at least 2 dimensions; got ndim": "jnp.linalg.matrix_transpose(x)",
    "ValueError: must be at least 2D": "jnp.triu(x)",
    "ValueError: to have ndim at least two": "jnp.rot90(x)",
    "TypeError: must have rank at least": "jnp.linalg.svd(x)",
    "ValueError: diag input must be 1d or 2d": "jnp.diag(jnp.ones((2, 2, 2)))",
    "ValueError: has more than 2 dimensions": "jnp.cov(jnp.ones((2, 2, 2)))",
    "ValueError: that is at least one dimensional": "jnp.diff(jnp.array(0.5))",
    "ValueError: on 0d arrays is not allowed": "jnp.nonzero(jnp.array(0.5))",
    "ValueError: weights tensor with default in_axis": (
        "nnx.Linear(2, 3, bias_init=nnx.initializers.lecun_normal(), rngs=nnx.Rngs(0))"
    ),
    "ValueError: orthogonal initializer requires at least a 2D shape": (
        "nnx.initializers.orthogonal()(key, (3,))"
    ),
    "ValueError: out of bounds for array of shape": "jax.lax.cumsum(x, axis=1)",
    "ValueError: duplicate value in 'axis'": "jnp.sum(jnp.ones((2, 2)), axis=(0, -2))",
    "ValueError: Need at least one array to stack": "jnp.stack([])",
    "ValueError: Number of einsum subscripts": "jnp.einsum('ij,jk', jnp.ones((2, 2)))",
    "ValueError: did not appear in the input": "jnp.einsum('ij->ik', jnp.ones((2, 2)))",
}

SIZES = {
    "ValueError: xp and fp must be one-dimensional arrays of equal size": (
        "jnp.interp(0.5, x, jnp.ones(4))"
    ),
    "TypeError: expected x and y to have same length": "jnp.polyfit(x, jnp.ones(4), 1)",
    "ValueError: Shape of weights must be consistent": (
        "jnp.average(jnp.ones((2, 3)), axis=1, weights=jnp.ones(2))"
    ),
    "ValueError: when shapes of a and weights differ": "jnp.average(jnp.ones((2, 3)), weights=x)",
    "ValueError: weights should have the same shape as a": "jnp.histogram(x, weights=jnp.ones(4))",
    "ValueError: Leading dimensions of input arrays must match": (
        "jnp.linalg.lstsq(jnp.ones((2, 3)), x)"
    ),
    "ValueError: shape must have length equal to the number of dimensions": (
        "jax.image.resize(jnp.ones((8, 8, 3)), (4, 4), 'linear')"
    ),
    "ValueError: in1 and in2 must have the same number of dimensions": (
        "jax.scipy.signal.convolve(jnp.ones((3, 3)), x)"
    ),
    "TypeError: clamp requires": "jax.lax.clamp(jnp.zeros(2), x, 1.0)",
    "TypeError: Arguments to sort must have equal shapes": "jax.lax.sort((x, jnp.ones(4)))",
    "ValueError: for cross product": "jnp.cross(jnp.ones(4), jnp.ones(4))",
    "ValueError: p must be None or a 1D vector": "jax.random.choice(key, 4, (2,), p=x / 3)",
    "ValueError: multivariate_normal requires": (
        "jax.random.multivariate_normal(key, jnp.zeros(2), jnp.eye(3))"
    ),
    "ValueError: dirichlet requires": "jax.random.dirichlet(key, 1.0)",
    "ValueError: Cannot take a larger sample": ("jax.random.choice(key, 5, (10,), replace=False)"),
    "ValueError: k argument to top_k must be no larger": "jax.lax.top_k(x, 5)",
    "TypeError: 'float' object cannot be interpreted as an integer": (
        "jnp.linspace(0, 1, x.size / 2)"
    ),
    "TypeError: object is not iterable": "jax.random.normal(key, x.size / 2)",
    "TypeError: x must be an integer or at least 1-dimensional": (
        "jax.random.permutation(key, x.size / 2)"
    ),
    "TypeError: shape argument of jax.random.choice must be a sequence": (
        "jax.random.choice(key, 5, 3)"
    ),
    "TypeError: Cannot determine dtype of": "jax.random.bernoulli(key, (3,))",
    "ValueError: invalid literal for int()": "jax.random.fold_in(key, 'dropout')",
}

DTYPES = {
    "ValueError: must be a square matrix": "jnp.linalg.eigvals(jnp.ones((3, 2)))",
    "TypeError: take_along_axis indices must be of integer type": (
        "jnp.take_along_axis(x, x, axis=0)"
    ),
    "TypeError: argument to bincount must have an integer type": "jnp.bincount(x)",
    "ValueError: must be integer or bool": "jnp.delete(x, 1.5)",
    "ValueError: index array must be integer typed": "jnp.insert(x, x.size / 2, 0.0)",
    "ValueError: where must be None or a boolean array": "x.sum(where=x)",
}

WRITTEN = {
    "NotImplementedError: must use inplace=False": "jnp.fill_diagonal(jnp.ones((2, 2)), 0.0)",
    "ValueError: cannot modify arrays in-place": "jnp.put(x, 0, 5.0)",
    "NotImplementedError: 'out' argument to": "jnp.sum(x, out=x)",
    "NotImplementedError: out argument of": "jnp.add(x, 1.0, out=x)",
}

ATTENTION = {
    "ValueError: q, k, v must have same rank": (
        "q = jnp.ones((2, 5, 4, 8))\nnnx.dot_product_attention(q, q[0], q)"
    ),
    "ValueError: q, k, v batch dims must match": (
        "q = jnp.ones((2, 5, 4, 8))\nnnx.dot_product_attention(q, q[:1], q[:1])"
    ),
    "ValueError: shape should be [": (
        "q = jnp.ones((2, 5, 4, 8))\njax.nn.dot_product_attention(q, q, q[..., :4])"
    ),
    "ValueError: mask dtype should be bool": (
        "q = jnp.ones((2, 5, 4, 8))\n"
        "jax.nn.dot_product_attention(q, q, q, mask=jnp.ones((2, 1, 5, 5)))"
    ),
    "ValueError: masks must have same rank": (
        "nnx.combine_masks(jnp.ones((2, 1, 5, 5)), jnp.ones((2, 5)))"
    ),
}

LAYERS = {
    "AttributeError: object has no attribute": (
        "class Net(nnx.Module):\n"
        "    def setup(self):\n"
        "        self.layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))\n"
        "    def __call__(self, x):\n"
        "        return self.layer(x)\n"
        "Net()(x)"
    ),
    "AssertionError: len(": "nnx.max_pool(jnp.ones((8, 8)), (2, 2), (2, 2))",
    "TypeError: 'int' has no len()": "nnx.avg_pool(jnp.ones((1, 8, 8, 1)), 2, 2)",
    "ValueError: conv_general_dilated window and window_strides must have": (
        "nnx.Conv(1, 4, 3, strides=(2, 2), rngs=nnx.Rngs(0))(jnp.ones((1, 5, 1)))"
    ),
    "TypeError: bad operand type … 'State'": "-nnx.state(layer)",
    "AttributeError: has no attribute '_mapping'": (
        "import warnings\n"
        "with warnings.catch_warnings(action='ignore'):\n"
        "    nnx.state(layer) - 0.1"
    ),
}

STATES = {
    "ValueError: The target dict keys and state dict keys do not match": (
        "from flax import serialization\n"
        "serialization.from_bytes({'w': x, 'b': x}, serialization.to_bytes({'w': x}))"
    ),
    "ValueError: The size of the list and the state dict do not match": (
        "from flax import serialization\n"
        "serialization.from_state_dict([x], serialization.to_state_dict([x, x]))"
    ),
    "ValueError: The field names of the state dict and the named tuple do not match": (
        "from flax import serialization\n"
        "adam = serialization.to_state_dict(optax.adam(0.1).init({'w': x}))\n"
        "serialization.from_state_dict(optax.sgd(0.1, 0.9).init({'w': x}), adam)"
    ),
    "ValueError: in state dict while restoring an instance of": (
        "from flax import serialization, struct\n"
        "@struct.dataclass\n"
        "class State:\n"
        "    w: jax.Array\n"
        "serialization.from_state_dict(State(x), {'v': x})"
    ),
}

OPTIMIZERS = {
    "ValueError: requires positive decay_steps": (
        "optax.warmup_cosine_decay_schedule(0.0, 0.1, 1000, 500)"
    ),
    "ValueError: non-positive `transition_steps`": "optax.linear_onecycle_schedule(0, 0.1)",
    "ValueError: expects non-negative scale factors": (
        "optax.piecewise_constant_schedule(0.1, {100: -0.5})"
    ),
    "TypeError: missing a required argument: 'learning_rate'": (
        "optax.inject_hyperparams(optax.adam)(lr=0.1)"
    ),
}

PYTHON = {
    "AttributeError:  local object": "import pickle\npickle.dumps(optax.adam(0.1))",
    "PicklingError: Can't pickle <function": ("import pickle\npickle.dumps(jax.jit(lambda x: x))"),
    "AttributeError: object has no attribute 'ndim'": (
        "nnx.Conv(1, 2, (3,), rngs=nnx.Rngs(0))(1.0)"
    ),
    "AttributeError: object has no attribute 'shape'": ("nnx.Dropout(0.5, rngs=nnx.Rngs(0))(1.0)"),
    "AttributeError: object has no attribute 'dtype'": ("nnx.Embed(3, 4, rngs=nnx.Rngs(0))(1)"),
    "TypeError: `out_sharding` argument of": "layer(x, True)",
    "AttributeError: 'AbstractRef' object has no attribute": (
        "jax.jit(lambda ref: ref + 1)(jax.new_ref(x))"
    ),
    "AttributeError: has no attribute '_is_concrete'": "jnp.zeros(3, device='gpu')",
    "TracerArrayConversionError: conversion method __array__()": (
        "jax.random.randint(key, 0, 9, (3,))"
    ),
    "TypeError: and got incompatible shapes for broadcasting": (
        "nnx.dot_product_attention(*[jnp.ones((3, 5, 4, 8))] * 3, mask=jnp.ones((1, 1, 3, 5)))"
    ),
    "TypeError: be converted to a scalar index": "'0.1' * x",
    "AttributeError: has no attribute 'block_until_ready'": "pair = x, x\npair.block_until_ready()",
    "KeyError: Tracer": (
        "params = {'layer0': x}\n"
        "jax.lax.fori_loop(0, 1, lambda i, total: total + params[f'layer{i}'].sum(), 0.0)"
    ),
    "TypeError: : '_IndexUpdateRef' and": "x.at[0] + 1.0",
    "TypeError: Array() takes no arguments": "jax.Array([1.0])",
    "TypeError: SeedSequence expects int": "np.random.default_rng(key)",
    "AttributeError: Tracer has no attribute device": "jax.jit(lambda x: x.device)(x)",
    "TypeError: non-iterable NoneType": "a, b = jax.jit(lambda x: None)(x)",
    "TypeError: can't multiply sequence by non-int": "0.5 * jax.tree.leaves({'w': x})",
    "TypeError: multiply sequence by non-int": "slopes = [x, x]\n0.5 * slopes",
    "TypeError: cannot unpack non-iterable": "value, slopes = jax.value_and_grad(jnp.sum)",
    "ValueError: values to unpack": "value, slopes = jax.grad(jnp.sum)(x)",
    "TypeError: is not JSON serializable": "import json\njson.dumps({'loss': x})",
    "IndexError: list index out of range": "jax.devices()[999]",
    "AttributeError: '_IndexUpdateHelper' object has no attribute": "x.at.set(1.0)",
    "AttributeError: ' object has no setter": "x.shape = (1, 3)",
    "TypeError: zeros() takes from": "jnp.zeros(2, 3, 4)",
    "TypeError: ones() takes from": "jnp.ones(2, 3, 4)",
    "TypeError: normal() takes from": "jax.random.normal(key, 2, 3, 4)",
    "AttributeError: PjitFunction' object has no attribute 'def": (
        "jax.jit(jax.custom_vjp(lambda x: x)).defvjp(None, None)"
    ),
    "AttributeError: 'ShapeDtypeStruct' object has no attribute": (
        "jax.eval_shape(jnp.sin, x).mean()"
    ),
    "TypeError: Cannot determine dtype of [": "optax.softmax_cross_entropy([0.5], [1.0])",
    "TypeError: expected ArrayLike, got": "jnp.stack({'w': x})",
    "TypeError: does not accept dtype": "jax.nn.sigmoid(jnp.arange(3))",
    "TypeError: Field elements must be": "jnp.array([1, 2], [3, 4])",
    "ValueError: Passing an array as a dtype argument": "jnp.array(x, x)",
    "TypeError: () missing … required": "jax.lax.cond(True, jnp.sin)",
    "TypeError: () takes": "jnp.log(x, 10)",
    "TypeError: () got multiple values for argument": "jnp.sum(x, 0, axis=0)",
    "TypeError: () got an unexpected keyword argument": "jnp.sum(x, over=0)",
    "TypeError: 'NoneType' object": "jax.nn.one_hot(jnp.arange(2), None)",
    "TypeError: type 'NoneType' has no len()": "jnp.stack([].append(x))",
    "TypeError: must be an iterable, not NoneType": "jnp.concatenate([].append(x))",
    "TypeError: and 'NoneType'": "optax.smooth_labels(x, None)",
    "TypeError: : 'NoneType' and": "optax.softmax_cross_entropy(x, None)",
    "AttributeError: 'NoneType' object has no attribute": "jax.lax.slice_in_dim(None, 0, 1)",
    "TypeError: ' object cannot be interpreted as an integer": "jnp.argmax(x, axis=(0, 1))",
    "TypeError: object is not subscriptable": "jnp.zeros[3]",
    "TypeError: loat' object is not iterable": "jnp.max(x, 0.0)",
    "ValueError: could not be broadcast together with shapes (0,) (2,)": (
        "jax.lax.conv(jnp.ones((5, 5)), jnp.ones((3, 3)), (1, 1), 'SAME')"
    ),
    "AttributeError: 'tuple' object has no attribute 'partitions'": (
        "jax.NamedSharding(mesh, ('i', None))"
    ),
    "AttributeError: P' object has no attribute 'size'": "jax.NamedSharding(jax.P('i'), mesh)",
    "TypeError: got an unexpected keyword argument 'in_axis_resources'": (
        "jax.jit(jnp.sin, in_axis_resources=None)"
    ),
    "TypeError: return arrays must be of ArrayType": "np.multiply(x, 2.0, out=x)",
    "TypeError: first operand must be array": "np.add.at(x, 0, 1.0)",
    "TypeError: the first argument must be callable": "jax.make_jaxpr(x)",
    "ValueError: Unexpected value for 'order' argument": "x.flatten(1)",
    "ValueError: index can't contain negative values": "jnp.pad(x, (0, -1))",
    "TypeError: type 'map' has no len()": "jnp.stack(map(jnp.sin, x))",
    "TypeError:  not supported between instances of ": (
        "jax.checkpoint(lambda x, n: x * n, static_argnums='n')(x, 2)"
    ),
    "NotImplementedError: Unimplemented padding mode": "jnp.pad(x, 1, mode='zeros')",
    "RuntimeError: Unrecognized padding type": (
        "nnx.Conv(1, 4, (3,), padding='FULL', rngs=nnx.Rngs(0))(jnp.ones((1, 5, 1)))"
    ),
    "ValueError: padding argument to conv_general_dilated should be": (
        "jax.lax.conv(jnp.ones((1, 1, 5)), jnp.ones((1, 1, 3)), (1,), 1)"
    ),
    "ValueError: Invalid padding format": (
        "nnx.Conv(1, 4, (3,), padding=1.5, rngs=nnx.Rngs(0))(jnp.ones((1, 5, 1)))"
    ),
    "TypeError: object does not support item assignment": "layer['bias'] = x",
    "TypeError: unsupported operand type(s)": "layer + layer",
    "TypeError: not supported between instances": "x < 'a'",
    "TypeError: unsupported operand type(s) for": "tree = {'w': x}\n0.1 * tree",
    "TypeError: ' not supported between instances": "tree = {'w': x}\ntree > 0",
    "TypeError: bad operand type for unary": "tree = {'w': x}\n-tree",
}

PROGRAMS = PYTHON | AXES | SIZES | DTYPES | WRITTEN | ATTENTION | LAYERS | STATES | OPTIMIZERS

"""Programs for errors of tracing, shapes and arrays."""

PROGRAMS = {
    "AttributeError: ArrayImpl' object has no attribute 'value'": "x.value",
    "AttributeError: ArrayImpl' object has no attribute 'get_value'": "x.get_value()",
    "AttributeError: Tracer has no attribute value": "jax.jit(lambda x: x.value)(x)",
    "TypeError: function relu … could not be resolved … missing a required argument: 'x'": (
        "jax.nn.relu()"
    ),
    "TypeError: elu() missing 1 required positional argument: 'x'": "jax.nn.gelu()",
    "TypeError: <locals>.init() missing … 'shape'": "jax.nn.initializers.normal()((3, 2))",
    "AttributeError: __delitem__": ("del x[0]"),
    "TypeError: data type … not understood": ("x.astype('bf16')"),
    "TypeError: () missing … 'key'": ("jax.random.normal(shape=(3,))"),
    "TypeError: randint() missing": ("jax.random.randint(key, 0, 10)"),
    "TypeError: transpose permutation isn't a permutation": ("jnp.ones((2, 3, 4)).transpose(1, 2)"),
    "ValueError: jnp.pad: pad_width": ("jnp.pad(jnp.ones((2, 3, 4)), ((1, 1), (1, 1)))"),
    "ValueError: must have the same number of dimensions; ": (
        "jnp.take_along_axis(jnp.ones((3, 2)), jnp.arange(3), axis=1)"
    ),
    "TypeError: convolution requires lhs and rhs ndim to be equal": (
        "jax.lax.conv(jnp.ones((1, 8, 8)), jnp.ones((3, 3)), (1, 1), 'SAME')"
    ),
    "AttributeError: '_IndexUpdateRef' object has no attribute": "x.at[0].at[1].set(2.0)",
    "ValueError: indices must have an integer type": "jnp.take(x, x)",
    "ValueError: does not have enough dimensions for all core dimensions": (
        "jnp.vectorize(jnp.dot, signature='(n),(n)->()')(1.0, x)"
    ),
    "FloatingPointError: the de-optimized function did not produce invalid values": (
        "double = jax.jit(lambda x: 2 * x)\n"
        "with jax.debug_nans(True):\n"
        "    double(np.array([1.0, np.nan], np.float32))"
    ),
    "NotImplementedError: argument of array.view() is not supported": "x.view(-1, 1)",
    "ValueError: so to use a where mask one has to specify 'initial'": "x.max(where=x > 0)",
    "TypePromotionError: ": (
        "with jax.numpy_dtype_promotion('strict'):\n    jnp.arange(3) * jnp.ones(3)"
    ),
    "TypeError: as a JAX value. The problematic value is of type <class 'numpy.ndarray'>": (
        "jnp.array(np.array(['cat']))"
    ),
    "OverflowError: out of bounds for int": "jnp.array(300, jnp.int8)",
    # tracing
    "InconclusiveDimensionOperation: Cannot divide evenly": "exported(lambda x: x.reshape(2, -1))",
    "InconclusiveDimensionOperation: in a context that requires a constant": (
        "exported(lambda x: int(x.shape[0]))"
    ),
    "TypeError: '_DimExpr' object cannot be interpreted as an integer": (
        "exported(lambda x: [x[i] for i in range(x.shape[0])])"
    ),
    "ValueError: Input shapes do not match the": "exported(jnp.sin, 'n >= 4').call(x)",
    # programs on a device
    "JaxRuntimeError: donate the same buffer twice": (
        "jax.jit(lambda x, y: (x + 1, y + 2), donate_argnums=(0, 1))(x, x)"
    ),
    "RuntimeError: Available backends are": "jax.devices('tpu')",
    # values of tracers
    "ConcretizationTypeError: with the `float` function … occurred while tracing": (
        "jax.jit(float)(x[0])"
    ),
    "ConcretizationTypeError: with the `float` function … was created on line": (
        "jax.vmap(float)(x)"
    ),
    "ConcretizationTypeError: with the `int` function": "jax.jit(int)(x[0])",
    "ConcretizationTypeError: with the `complex` function": "jax.jit(complex)(x[0])",
    "ConcretizationTypeError: The tolist() method": "jax.jit(lambda x: x.tolist())(x)",
    "ConcretizationTypeError: concrete value for the size argument": "jax.jit(jnp.unique)(x)",
    "ConcretizationTypeError: pass a static `length` argument": (
        "jax.jit(jnp.bincount)(jnp.arange(3))"
    ),
    "ConcretizationTypeError: the total number of repeats must be static": (
        "jax.jit(jnp.repeat)(x, jnp.arange(3))"
    ),
    "ConcretizationTypeError: argument of jnp.linspace": (
        "jax.jit(lambda n: jnp.linspace(0.0, 1.0, n))(3)"
    ),
    "ConcretizationTypeError: method was called on traced array": (
        "jax.jit(lambda x: x.devices())(x)"
    ),
    "ConcretizationTypeError: property was called on traced array": (
        "jax.jit(lambda x: x.is_fully_addressable)(x)"
    ),
    "ConcretizationTypeError: is not available on traced array": (
        "jax.jit(lambda x: x.committed)(x)"
    ),
    "AttributeError: Tracer has no attribute": "jax.jit(lambda x: x.foo)(x)",
    # numbers
    "FloatingPointError: invalid value (inf)": "with jax.debug_infs(True):\n    1 / jnp.zeros(1)",
    "OverflowError: out of bounds for int32": "jnp.int32(2**40)",
    "OverflowError: while parsing an argument to a jitted computation": "jax.jit(jnp.sin)(2**40)",
    # compiled functions and their arguments
    "TypeError: Function compiled with input pytree": "jax.jit(jnp.sin).lower(x).compile()(x, x)",
    "TypeError: to a function lowered and compiled": (
        "jax.grad(jax.jit(jnp.sum).lower(x).compile())(x)"
    ),
    "ValueError: unhashable type: 'DynamicJaxprTracer'": (
        "jax.jit(jax.jit(jnp.sin, static_argnums=0))(x)"
    ),
    "ValueError: unhashable type: 'BatchTracer'": "jax.vmap(jax.jit(jnp.sin, static_argnums=0))(x)",
    "ValueError: unhashable type: 'LinearizeTracer'": (
        "jax.grad(jax.jit(jnp.sin, static_argnums=0))(1.0)"
    ),
    "ValueError: unhashable type: 'JVPTracer'": (
        "jax.jvp(jax.jit(jnp.sin, static_argnums=0), (1.0,), (1.0,))"
    ),
    "ValueError: Jitted function has donate_argnums=": "jax.jit(jnp.sin, donate_argnums=3)(x)",
    "TypeError: as a JAX value": "jax.lax.sin('a')",
    # arrays and operators
    "ValueError: Invalid dtype for `swap`": "jax.new_ref(x)[...] = jnp.arange(3)",
    "ValueError: Invalid shape for `swap`": "jax.new_ref(x)[...] = 1.0",
    "ValueError: array is read-only": "np.asarray(x).sort()",
    "TypeError: ArrayImpl' and 'NoneType'": "x + None",
    "TypeError: Tracer' and 'NoneType'": "jax.jit(lambda x: x + None)(x)",
    "TypeError: ArrayImpl' and 'list'": "x + [1.0]",
    "TypeError: Tracer' and 'list'": "jax.jit(lambda x: x + [1.0])(x)",
    "TypeError: Tracer' and 'tuple'": "jax.jit(lambda x: x + (1.0,))(x)",
    "TypeError: 'list' and 'ArrayImpl'": "[1.0] + x",
    "TypeError: 'list' and 'jaxlib": "[1.0] - x",
    "TypeError: 'tuple' and 'jaxlib": "(1.0,) - x",
    "TypeError: 'tuple' and 'ArrayImpl'": "(1.0,) + x",
    # indices and shapes
    "TypeError: JAX does not support string indexing": "x['a']",
    "ValueError: Incompatible shapes for broadcasting": "jnp.broadcast_shapes((3,), (2,))",
    "ValueError: Cannot broadcast to shape with fewer dimensions": (
        "jnp.broadcast_to(jnp.ones((2, 3)), (2,))"
    ),
    "TypeError: arrays must have the same number of dimensions": "jax.lax.add(x, jnp.ones((1, 3)))",
    "ValueError: does not contain the correct number of indices": "jnp.einsum('ij->i', x)",
    "TypeError: Cannot concatenate arrays with different numbers": (
        "jnp.concatenate([x, jnp.ones((1, 3))])"
    ),
    "ValueError: All input arrays must have the same shape": "jnp.stack([x, jnp.ones(2)])",
    "ValueError: Need at least one array to concatenate": "jnp.concatenate([])",
    "TypeError: can only specify one unknown axis size": "x.reshape(-1, -1)",
    "ValueError: of an empty sequence": "jnp.argmax(jnp.array([]))",
    # values and dtypes
    "TypeError: and does not accept dtype": "x & x",
    "TypeError: or does not accept dtype float": "x | x",
    "TypeError: or does not accept dtype bfloat": "x.astype(jnp.bfloat16) | x.astype(jnp.bfloat16)",
    "TypeError: are subtypes of integer.": "x << 1",
    "TypeError: sub does not accept dtype bool": "(x > 0) - (x > 0)",
    "ValueError: can only convert an array of size 1": "x.item()",
    "TypeError: unhashable type: 'DynamicJaxprTracer'": "jax.jit(hash)(x)",
    "TypeError: unhashable type: 'BatchTracer'": "jax.vmap(hash)(x)",
    "TypeError: unhashable type: 'LinearizeTracer'": "jax.grad(hash)(1.0)",
    "TypeError: unhashable type: 'JVPTracer'": "jax.jvp(hash, (1.0,), (1.0,))",
    "TypeError: unhashable type: 'PRNGKeyArray'": "hash(key)",
    "TypeError: update shape must be smaller than operand shape": (
        "jax.lax.dynamic_update_slice(x, jnp.ones(4), (0,))"
    ),
    "TypeError: len() of unsized object": "len(jnp.float32(1.0))",
    "TypeError: 'NoneType' and 'jaxlib": "None + x",
    "TypeError: 'NoneType' and 'DynamicJaxprTracer'": "jax.jit(lambda x: None + x)(x)",
    "TypeError: 'NoneType' and 'BatchTracer'": "jax.vmap(lambda x: None * x)(x)",
    "TypeError: 'NoneType' and 'LinearizeTracer'": "jax.grad(lambda x: None * x)(1.0)",
    "TypeError: 'list' and 'DynamicJaxprTracer'": "jax.jit(lambda x: [1.0] + x)(x)",
    "TypeError: 'list' and 'BatchTracer'": "jax.vmap(lambda x: [2.0] * x)(x)",
    "TypeError: 'list' and 'LinearizeTracer'": "jax.grad(lambda x: [2.0] * x)(1.0)",
    "TypeError: 'tuple' and 'DynamicJaxprTracer'": "jax.jit(lambda x: (1.0,) + x)(x)",
    "TypeError: 'tuple' and 'BatchTracer'": "jax.vmap(lambda x: (2.0,) * x)(x)",
    "TypeError: 'tuple' and 'LinearizeTracer'": "jax.grad(lambda x: (2.0,) * x)(1.0)",
    "ValueError: entry not a 2- or 3- tuple": "jnp.array({'x': [1, 2], 'y': [0, 1]})",
    "TypeError: shape must have every element be nonnegative": "jnp.zeros(-1)",
    "ValueError: `jax.device_put` only accepts": "jax.device_put(x, 'cpu')",
    "IndexError: is out of bounds for axis": "jnp.swapaxes(x, 0, 1)",
    # refs and updates
    "TypeError: and 'Ref'": "2 * jax.new_ref(x)",
    "TypeError: '_IndexUpdateHelper' object is not callable": "x.at(0).set(1.0)",
    "TypeError: '_IndexUpdateHelper' object does not support item assignment": "x.at[0] = 1.0",
    "ValueError: Length of slice indices must match number of operand dimensions": (
        "jax.lax.dynamic_slice(x, (0, 0), (2, 2))"
    ),
    "TypeError: update must have the same rank as operand": (
        "jax.lax.dynamic_update_slice(jnp.ones((3, 3)), x, (0, 0))"
    ),
    "TypeError: as a data type": "x.astype(3)",
    "ValueError: must have shape [..., n, n]": "jnp.linalg.inv(jnp.ones((2, 3)))",
    "ValueError: Invalid shapes for solve": (
        "jnp.linalg.solve(jnp.ones((5, 3, 3)), jnp.ones((5, 3)))"
    ),
    # slices, and what NumPy refuses
    "TypeError: has no len()": "jax.lax.dynamic_slice(x, 0, (2,))",
    "ValueError: safe_map() argument 2 is": "jax.lax.dynamic_slice(x[None], (0, 0), (2,))",
    "TypeError: in gather op is out of range": (
        "window = lambda row, start: jax.lax.dynamic_slice(row, (start,), (5,))\n"
        "jax.vmap(window)(jnp.ones((2, 3)), jnp.arange(2))"
    ),
    "TypeError: limit_indices must be less than or equal to": "jax.lax.slice_in_dim(x, 0, 5)",
    "TypeError: index arguments to dynamic_slice must be integers": (
        "jax.lax.dynamic_slice(x, (x[0],), (2,))"
    ),
    "ValueError: cannot set WRITEABLE flag": (
        "values = np.asarray(x)\nvalues.setflags(write=True)"
    ),
    "ValueError: cannot reshape array of size": "jnp.reshape(np.ones(6), (4, 2))",
    "TypeError: The numpy boolean negative": "mask = np.asarray(x > 0)\n-mask",
    "TypeError: numpy boolean subtract": "mask = np.asarray(x > 0)\nmask - mask",
    "TypeError: select `which` must be boolean or integer type": "jax.lax.select(x, x, x)",
    "AttributeError: 'PRNGKeyArray' object has no attribute": "key.split()",
    "TypeError: or a real number, not '_DimExpr'": "exported(lambda x: x / float(x.shape[0]))",
    "JaxRuntimeError: generated by primitive": (
        "from jax.experimental import checkify\n"
        "error, _ = checkify.checkify(jnp.log, errors=checkify.float_checks)(-x)\n"
        "error.throw()"
    ),
    "JaxRuntimeError: out-of-bounds indexing for array": (
        "from jax.experimental import checkify\n"
        "entry = checkify.checkify(lambda x: x[5], errors=checkify.index_checks)\n"
        "error, _ = entry(x)\nerror.throw()"
    ),
    # what is not called, named or formatted like that
    "TypeError: vmap() got an unexpected keyword argument": "jax.vmap(jnp.sum, in_axis=1)",
    "TypeError: unexpected keyword argument 'keepdim'": "jnp.sum(x, axis=0, keepdim=True)",
    "TypeError: unexpected keyword argument 'requires_grad'": "jnp.ones(3, requires_grad=True)",
    "TypeError: ArrayImpl' object is not callable": "loss = x.sum()\nloss(x)",
    "TypeError: Tracer' object is not callable": "jax.jit(lambda x: x(0))(x)",
    "TypeError: 'tuple' object is not callable": "x.shape()",
    "TypeError: 'int' object is not callable": "x.size()",
    "AttributeError: Unrecognized config option": "jax.config.update('enable_x64', True)",
    "TypeError: a real number is required, not … Tracer": "jax.jit(lambda i: 'w%d' % i)(3)",
    "TypeError: ndarray.__format__": "f'{x:.2f}'",
    "TypeError: JAX only supports number, bool, and string dtypes": "jnp.zeros(3, dtype=object)",
    "TypeError: start_indices arguments to dynamic_slice must be scalars": (
        "jax.lax.dynamic_slice_in_dim(x, jnp.arange(2), 2)"
    ),
    "ValueError: Invalid mixing of symbolic scopes": (
        "from jax import export\n"
        "sizes = [export.symbolic_shape(name)[0] for name in 'ab']\n"
        "rows = [jax.ShapeDtypeStruct((size, 3), jnp.float32) for size in sizes]\n"
        "export.export(jax.jit(lambda x, y: x @ y.T))(*rows)"
    ),
    "ValueError: Sum of sizes": (
        "from jax.flatten_util import ravel_pytree\n"
        "vector, tree_of = ravel_pytree({'a': x, 'b': x})\ntree_of(vector[:4])"
    ),
}

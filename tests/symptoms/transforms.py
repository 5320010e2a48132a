"""Programs for errors of transforms, loops, trees, keys and sharding."""

#: A class that JAX rebuilds, and that checks what it is given.
CHECKED = """
@jax.tree_util.register_pytree_node_class
class Checked:
    def __init__(self, x):
        assert x is not None
        self.x, self.shape = x, (1 + x if type(x) is tuple else x.shape)
    def tree_flatten(self):
        return (self.x,), None
    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)
"""

PROGRAMS = {
    "RecursionError: maximum recursion depth exceeded": (
        "def factorial(n):\n    return jnp.where(n < 2, 1, n * factorial(n - 1))\nfactorial(3)"
    ),
    "ValueError: _internal_pmap_axis_name … implies that array axis": (
        "jax.pmap(jnp.sum, devices=jax.devices()[:2])(x)"
    ),
    "ValueError: requires at least one argument with a mapped axis": "jax.pmap(jnp.sin)(3.0)",
    "ValueError: Expected an array, got": (
        "nnx.scan(lambda total, x: (total + x, None))(0.0, [1.0, 2.0, 3.0])"
    ),
    "ValueError: mask ndim should be": (
        "heads, mask = jnp.ones((1, 3, 2, 4)), jnp.ones((1, 1, 1, 3, 3), bool)\n"
        "jax.nn.dot_product_attention(heads, heads, heads, mask=mask)"
    ),
    "ValueError: number of query heads must be a multiple of key/value heads": (
        "three, two = jnp.ones((1, 5, 3, 4)), jnp.ones((1, 5, 2, 4))\n"
        "jax.nn.dot_product_attention(three, two, two)"
    ),
    "ValueError: <class 'list'>\nbut at the same key path the full pytree has a subtree of "
    "different type\n    <class 'tuple'>": (
        "nnx.vmap(lambda model, x: model(x), in_axes=[None, 0])(layer, jnp.ones((2, 3)))"
    ),
    "TypeError: No constant handler for type: … Tracer": (
        "@jax.jit\n"
        "def same(x, most):\n"
        "    kept = jax.custom_vjp(lambda x: x)\n"
        "    kept.defvjp(lambda x: (x, None), lambda _, g: (jnp.minimum(g, most),))\n"
        "    return kept(x)\n"
        "jax.grad(same)(1.0, 2.0)"
    ),
    "TypeError: object is not callable": ("jax.tree.map({'w': x}, jnp.sin)"),
    "ValueError: is incompatible with its sharding annotation": (
        "jax.pmap(jnp.multiply, devices=jax.devices()[:1])(jnp.ones((1, 3)), 2.0)"
    ),
    "TypeError: 'float' object is not iterable": ("jax.grad(lambda x: x**2, 3.0)"),
    "TypeError: cannot be interpreted as an integer": (
        "jax.grad(lambda params: params['w'].sum(), {'w': x})"
    ),
    "TypeError: can be converted to a scalar index": ("jax.value_and_grad(jnp.sum, x)"),
    "IndexError: index out of range": (
        "jax.shard_map(\n"
        "    lambda x: jax.lax.ppermute(x, 'i', [(0, 1)]), mesh=mesh, out_specs=jax.P('i')\n"
        ")(jax.device_put(x, jax.NamedSharding(mesh, jax.P('i'))))"
    ),
    "TypeError: Output from batched function": ("jax.vmap(lambda x: 'm')(x)"),
    "TypeError: Formatting arguments to checkify.check": (
        "from jax.experimental import checkify\n"
        "checkify.checkify(lambda x: checkify.check(x > 0, '{}', x))(-1.0)"
    ),
    "AttributeError: has no attribute 'tree_": (
        "@jax.tree_util.register_pytree_node_class\nclass Line:\n    pass"
    ),
    "ValueError: passed to `make_mesh` should be a sequence of ints": (
        "jax.make_mesh(('data', 'model'), (1, 1))"
    ),
    "TypeError: '<' not supported between instances of 'int' and 'str'": (
        "jax.tree.leaves(collections.defaultdict(list, {'a': 1.0, 0: 2.0}))"
    ),
    "TypeError: '<' not supported between instances of 'str' and 'int'": (
        "jax.tree.leaves(collections.defaultdict(list, {0: 2.0, 'a': 1.0}))"
    ),
    "NotImplementedError: Evaluation rule for 'ppermute' not implemented": (
        "jax.lax.ppermute(x, 'i', [(0, 0)])"
    ),
    "NotImplementedError: IO effect not supported in vmap-of-cond": (
        "from jax.experimental import io_callback\n"
        "report = lambda x: io_callback(print, None, x)\n"
        "jax.vmap(lambda x: jax.lax.cond(x > 0, report, lambda x: None, x))(x)"
    ),
    "Exception: IO effects not supported in": (
        "from jax.experimental import io_callback\n"
        "def halve(x):\n"
        "    io_callback(print, None, x)\n"
        "    return x / 2\n"
        "jax.vmap(lambda x: jax.lax.while_loop(lambda x: x > 1, halve, x))(x)"
    ),
    "TypeError: missing 1 required positional argument: 'nodetype'": (
        "@jax.tree_util.register_dataclass(meta_fields=['name'])\nclass Named:\n    name: str"
    ),
    "TypeError: [('float0', 'V')]": (
        "@jax.custom_jvp\n"
        "def product(x, n):\n"
        "    return x * n\n"
        "@product.defjvp\n"
        "def product_rule(primals, tangents):\n"
        "    (x, n), (dx, dn) = primals, tangents\n"
        "    return x * n, n * dx + x * dn\n"
        "jax.grad(product)(2.0, 3)"
    ),
    "TypeError: float0s do not support any operations": (
        "grads = jax.grad(lambda p: p['w'] * p['n'], allow_int=True)({'w': x[0], 'n': 3})\n"
        "jnp.negative(grads['n'])"
    ),
    "TypeError: switch() got an unexpected keyword argument": (
        "jax.lax.switch(0, functions=[lambda: 1])"
    ),
    "TypeError: lax.scan: f argument should be a callable": "jax.lax.scan(x, 0, None, length=3)",
    "TypeError: body_fun argument should be callable": "jax.lax.fori_loop(0, 3, x, 1)",
    "ValueError: should match the aval mesh": (
        "with jax.set_mesh(jax.make_mesh((1,), ('i',))):\n    split('i', None) + 1"
    ),
    "ValueError: must equal the product of mesh_shape": (
        "from jax.experimental import mesh_utils\nmesh_utils.create_device_mesh((100,))"
    ),
    # transforms
    "ValueError: prefix pytree shard_map in_specs": (
        "jax.shard_map(jnp.sum, mesh=mesh, in_specs=({'a': jax.P()},), out_specs=jax.P())({'b': x})"
    ),
    "ValueError: prefix pytree pjit in_shardings": (
        "rows = jax.NamedSharding(mesh, jax.P())\n"
        "jax.jit(lambda tree: tree['a'], in_shardings=({'b': rows},))({'a': x})"
    ),
    "ValueError: prefix pytree pjit out_shardings": (
        "rows = jax.NamedSharding(mesh, jax.P())\n"
        "jax.jit(lambda x: (x, x), out_shardings=(rows,))(x)"
    ),
    "ValueError: does not support kwargs when in_shardings is specified": (
        "jax.jit(jnp.sin, in_shardings=(jax.NamedSharding(mesh, jax.P()),))(x=x)"
    ),
    "ValueError: device_put device specification must be a tree prefix": (
        "jax.device_put((x, x), (jax.NamedSharding(mesh, jax.P()),))"
    ),
    "TypeError: in_axes must be an int, None, or": "jax.vmap(jnp.sin, in_axes='0')(x)",
    "ValueError: must be passed at least one argument containing an array or axis_size": (
        "jax.vmap(lambda: 1.0)()"
    ),
    "ValueError: out_axes, got axis spec None but output was batched": (
        "jax.vmap(jnp.sin, out_axes=None)(x)"
    ),
    "TypeError: (input dtype that is a sub-dtype of np.floating), but got int": (
        "jax.jacfwd(jnp.sin)(1)"
    ),
    "TypeError: with holomorphic=True requires": "jax.grad(jnp.square, holomorphic=True)(1.0)",
    "TypeError: primal and tangent arguments to jax.jvp must have the same tree structure": (
        "jax.jvp(jnp.add, (1.0, 2.0), (1.0,))"
    ),
    "TypeError: primal and tangent arguments to jax.jvp do not match": (
        "jax.jvp(jnp.sin, (1.0,), (1,))"
    ),
    "ValueError: jvp called with different primal and tangent shapes": (
        "jax.jvp(jnp.sin, (x,), (jnp.ones(2),))"
    ),
    "ValueError: The argument to a VJP function returned by `jax.vjp` must match": (
        "jax.vjp(jnp.sin, 1.0)[1]((1.0, 2.0))"
    ),
    "ValueError: linearized function called on tangent values inconsistent": (
        "jax.linearize(jnp.sin, x)[1](jnp.ones(2))"
    ),
    # loops and branches
    "ValueError: Array inputs to associative_scan must have the same first dimension": (
        "jax.lax.associative_scan(lambda a, b: a, (x, jnp.ones(2)))"
    ),
    "TypeError: cond predicate is None": "jax.lax.cond(None, jnp.sin, jnp.cos, 1.0)",
    "TypeError: Branch index must be scalar": (
        "jax.lax.switch(jnp.array([0, 1]), [jnp.sin, jnp.cos], 1.0)"
    ),
    "TypeError: select cases must have the same shapes": "jax.lax.select(x > 0, x, jnp.ones(2))",
    "TypeError: select `which` must be scalar or have the same shape as cases": (
        "jax.lax.select(jnp.ones(2) > 0, x, x)"
    ),
    "TypeError: while_loop() got an unexpected keyword argument": (
        "jax.lax.while_loop(jnp.any, jnp.sin, 1.0, unroll=2)"
    ),
    "TypeError: associative_scan() got an unexpected keyword argument": (
        "jax.lax.associative_scan(jnp.add, x, init=0.0)"
    ),
    "TypeError: scan() got an unexpected keyword argument": "jax.lax.scan(jnp.add, 0.0, x, axis=0)",
    "TypeError: cond() got an unexpected keyword argument": (
        "jax.lax.cond(True, jnp.sin, jnp.cos, x=1.0)"
    ),
    # trees
    "TypeError: ": CHECKED + "jax.tree.map(lambda x: (), Checked(x))",
    "AttributeError: ": CHECKED + "jax.tree.map(lambda x: object(), Checked(x))",
    "AssertionError: ": CHECKED + "jax.tree.map(lambda x: None, Checked(x))",
    "AttributeError: module 'jax' has no attribute 'tree_": "jax.tree_leaves({})",
    "ValueError: Too many leaves for PyTreeDef": (
        "jax.tree.unflatten(jax.tree.structure((1,)), (1, 2))"
    ),
    "TypeError: '>' is not a valid JAX type": "jax.typeof(object())",
    "ValueError: data_fields and meta_fields must not overlap": (
        "jax.tree_util.register_dataclass(object, ['x'], ['x'])"
    ),
    "TypeError: data_fields and meta_fields must both be specified": (
        "jax.tree_util.register_dataclass(object, ['x'])"
    ),
    # keys
    "TypeError: invalid PRNG key data: expected key_data to have ndim": (
        "jax.random.wrap_key_data(3)"
    ),
    "TypeError: invalid PRNG key data: expected key_data.ndim": (
        "jax.random.wrap_key_data(jnp.uint32(3))"
    ),
    "TypeError: PRNG key seed must be an integer": "jax.random.key(1.5)",
    "TypeError: , key<": "x + key",
    "TypeError: does not accept dtype key<": "-key",
    "ValueError: Cannot convert_element_type from key<": (
        "jax.jit(lambda key: key.astype(int))(key)"
    ),
    "ValueError: dtype=key<": "jnp.where(True, x, key)",
    "TypeError: Cannot interpret 'key<": "np.zeros(3, key.dtype)",
    "ValueError: must be a float or complex dtype, got": "jax.random.normal(key, dtype=int)",
    "TypeError: bernoulli probability `p` must have a floating dtype": (
        "jax.random.bernoulli(key, 1)"
    ),
    "TypeError: randint only accepts integer dtypes": "jax.random.randint(key, (3,), 0, 10, float)",
    # sharding
    "ValueError: argument must refer to an axis marked as manual": (
        "jax.shard_map(jnp.sin, mesh=mesh, in_specs=jax.P('k'), out_specs=jax.P('i'))(x)"
    ),
    "ValueError: is only valid for values of rank at least": (
        "jax.ShapeDtypeStruct((3,), float, sharding=jax.NamedSharding(mesh, jax.P('i', 'j')))"
    ),
    "ValueError: implies that array axis": (
        "sharding = jax.NamedSharding(jax.sharding.AbstractMesh((2,), ('i',)), jax.P('i'))\n"
        "sharding.shard_shape((3,))"
    ),
    "ValueError: if a PartitionSpec is passed to device_put": "jax.device_put(x, jax.P('i'))",
    "ValueError: Using PartitionSpec when you are not under a mesh context": (
        "jnp.zeros(3, out_sharding=jax.P('i'))"
    ),
    "ValueError: The context mesh cannot be empty": (
        "jax.shard_map(jnp.sin, in_specs=jax.P('i'), out_specs=jax.P('i'))(x)"
    ),
    "ValueError: prefix pytree shard_map out_specs": (
        "jax.jit(jax.shard_map(jnp.sin, mesh=mesh, in_specs=jax.P(), out_specs=[jax.P()]))(x)"
    ),
    "TypeError: specs argument must be a pytree of `jax.sharding.PartitionSpec`": (
        "jax.shard_map(jnp.sin, mesh=mesh, in_specs=('i',), out_specs=jax.P('i'))(x)"
    ),
    "ShardingTypeError: All operands should have the same sharding": (
        "jnp.concatenate([split('i', None), split(None, 'j')])"
    ),
    "ShardingTypeError: select cases must have the same shardings": (
        "jnp.where(split('i', None) > 0, split('i', None), split('j', None))"
    ),
    "ShardingTypeError: must be scalar or have the same sharding as cases": (
        "jnp.where(split('j', None) > 0, split('i', None), split('i', None))"
    ),
    "ValueError: passed to with_sharding_constraint can only refer to Auto axes": (
        "jax.lax.with_sharding_constraint(x, jax.NamedSharding(mesh, jax.P('i')))"
    ),
    "TypeError: iteration over a 0-d key array": "for_weights, for_noise = key",
    # custom rules and callbacks
    "AttributeError: No JVP defined for custom_jvp function": "jax.custom_jvp(jnp.sin)(1.0)",
    "ValueError: must produce an output with the same type as the args tuple of the primal": (
        "f = jax.custom_vjp(jnp.sin)\n"
        "f.defvjp(lambda x: (f(x), None), lambda _, g: (x,))\n"
        "jax.grad(f)(1.0)"
    ),
    "JaxRuntimeError: Incorrect output shape for return value": (
        "jax.pure_callback(lambda x: x, jax.typeof(x[0]), x)"
    ),
    "JaxRuntimeError: Incorrect output dtype for return value": (
        "jax.pure_callback(lambda x: 1, jax.typeof(x[0]), x)"
    ),
    "JaxRuntimeError: Mismatched number of outputs from callback": (
        "jax.pure_callback(lambda x: (1.0, 1.0), jax.typeof(x[0]), x)"
    ),
    # what stands in the place of a function, or of a number
    "TypeError: Pred type must be either boolean or number": (
        "jax.lax.cond(jnp.any, jnp.sin, jnp.cos, x)"
    ),
    "TypeError: body_fun and cond_fun arguments should be callable": (
        "jax.lax.while_loop(True, jnp.sin, x)"
    ),
    "TypeError: jit() takes from 0 to 1 positional arguments": "jax.jit(jnp.add, x, x)",
    # refs
    "TypeError: Output had abstract value Ref": "jax.grad(jax.new_ref)(1.0)",
    "AttributeError: 'Ref' object has no attribute": "jax.new_ref(x).sum()",
    # trees and meshes
    "AttributeError: object has no attribute 'unflatten'": (
        "leaves, structure = jax.tree.flatten({'w': x})\njax.tree.unflatten(leaves, structure)"
    ),
    "TypeError: shard_map() missing": "jax.shard_map(jnp.sin, mesh=mesh)",
    "ValueError: Please enter your `jit` into a mesh context": (
        "wide = jax.make_mesh((2,), ('x',))\n"
        "split = jax.NamedSharding(wide, jax.P('x'))\n"
        "jax.jit(lambda x: jax.reshard(x, split))(jnp.ones(4))"
    ),
    "TypeError: unction' object is not iterable": "jax.lax.switch(0, jnp.sin, jnp.cos, x)",
    "TypeError: grad() got an unexpected keyword argument": "jax.grad(jnp.sum, argnum=0)",
    "TypeError: jit() got an unexpected keyword argument": "jax.jit(jnp.sum, static_argnum=0)",
}

"""Programs for errors of Flax NNX."""

PROGRAMS = {
    "TypeError: () missing … 'rngs'": (
        "class Net(nnx.Module):\n"
        "    def __init__(self, *, rngs):\n"
        "        self.layer = nnx.Linear(3, 1, rngs=rngs)\n"
        "Net()"
    ),
    "TypeError:  object is not subscriptable": "nnx.Variable(0.5)[...]",
    "TypeError:  object does not support item assignment": "nnx.Variable(0.5)[...] = 1.0",
    "TypeError:  object is not iterable": "list(layer)",
    "TypeError: concatenate arrays with ": "layer((x, x[:1]))",
    "TypeError: ' has no len()": "len(layer)",
    "TypeError: unhashable type: ": "{layer.kernel: 0.1}",
    "TypeError: too many positional arguments": (
        "nnx.value_and_grad(lambda layer, x: layer(x).sum())(layer, x, x)"
    ),
    "TypeError: iteration over a 0-d array": (
        "nnx.grad(lambda layer: layer(x).sum(), has_aux=True)(layer)"
    ),
    "TypeError: () takes from 0 to 2 positional arguments but 3": (
        "nnx.Linear(3, 2, kernel_init=nnx.initializers.normal, rngs=nnx.Rngs(0))"
    ),
    "TypeError: _init() takes 0 positional arguments": (
        "nnx.Linear(3, 2, kernel_init=nnx.initializers.zeros_init, rngs=nnx.Rngs(0))"
    ),
    "TypeError: ' object is not callable": (
        "class Net(nnx.Module):\n"
        "    def forward(self, x):\n"
        "        return x\n"
        "net = Net()\n"
        "nnx.relu(net(x))"
    ),
    "TypeError: 'List' object is not callable": "nnx.relu(nnx.List([layer])(x))",
    "TypeError: Module.train() takes": "nnx.Sequential(layer).train(True)",
    "TypeError: Module.eval() takes": "nnx.Sequential(layer).eval(True)",
    "IndexError: tuple index out of range": (
        "nnx.Optimizer(layer, optax.sgd(0.1), wrt=nnx.Param).update(layer, x)"
    ),
    "ValueError: scan got `length` argument": (
        "nnx.scan(\n"
        "    lambda layer, x: layer(x), in_axes=(0, nnx.Carry), out_axes=nnx.Carry, length=5\n"
        ")(layer, x)"
    ),
    "ValueError: scan got values with different leading axis sizes": (
        "nnx.scan(lambda layer, x: layer(x), in_axes=(0, nnx.Carry), out_axes=nnx.Carry)(\n"
        "    nnx.Linear(3, 4, rngs=nnx.Rngs(0)), x\n"
        ")"
    ),
    "TypeError: cannot unpack non-iterable NoneType": (
        "nnx.LSTMCell(3, 4, rngs=nnx.Rngs(0))(None, x)"
    ),
    "TypeError: got incompatible shapes for broadcasting": (
        "nnx.GRUCell(3, 4, rngs=nnx.Rngs(0))(jnp.ones((2, 4)), jnp.ones((5, 3)))"
    ),
    "AttributeError: object has no attribute '__r": "x @ nnx.Param((3, 2))",
    "AttributeError: 'function' object has no attribute '__": (
        "nnx.Param(nnx.initializers.zeros) * x"
    ),
    "TypeError: object.__init__() takes exactly one argument": (
        "class Net(nnx.Module):\n"
        "    def __init__(self, rngs):\n"
        "        super().__init__(rngs)\n"
        "Net(nnx.Rngs(0))"
    ),
    "TypeError: Variable.__init__() ": "nnx.Param(jax.random.normal, (3, 2))",
    "TypeError: .update() takes 1 positional argument": (
        "nnx.MultiMetric(loss=nnx.metrics.Average('loss')).update(x)"
    ),
    "TypeError: grad() got an unexpected keyword argument 'wrt'": (
        "nnx.grad(lambda layer: layer(x).sum(), wrt=nnx.Param)"
    ),
    "TypeError: indices must be integers or slices, not ellipsis": (
        "layer.kernel = [[1.0], [2.0], [3.0]]\nlayer(x)"
    ),
    "TypeError: 'Optimizer' object is not callable": (
        "nnx.Optimizer(layer, optax.sgd(0.1), wrt=nnx.Param)(layer)"
    ),
    "TypeError: 'GraphDef' object is not callable": "nnx.graphdef(layer)(x)",
    "TypeError: 'float' object is not callable": (
        "nnx.Linear(3, 1, kernel_init=0.1, rngs=nnx.Rngs(0))"
    ),
    "TypeError: 'str' object is not callable": (
        "nnx.Linear(3, 1, kernel_init='zeros', rngs=nnx.Rngs(0))"
    ),
    "TypeError: 'list' object is not callable": (
        "nnx.Linear(3, 1, kernel_init=[0.1], rngs=nnx.Rngs(0))"
    ),
    "TypeError: 'dict' object is not callable": (
        "nnx.Linear(3, 1, kernel_init={}, rngs=nnx.Rngs(0))"
    ),
    "TypeError: 'NoneType' object is not callable": (
        "nnx.Linear(3, 1, kernel_init=None, rngs=nnx.Rngs(0))"
    ),
    "KeyError: ": "nnx.state(layer)['weight']",
    "TypeError: .__init__() got an unexpected keyword argument": (
        "from flax import struct\n"
        "@struct.dataclass\n"
        "class Agent:\n"
        "    steps: int\n"
        "Agent(0).replace(step=1)"
    ),
    "TypeError: __call__() missing": ("from flax import linen\nlinen.Dense(3).init(key)"),
    "TypeError: () takes from 0 to 1 positional arguments": (
        "nnx.grad(lambda layer: layer(x).sum(), layer)"
    ),
    "TypeError: TrainState.create() missing": (
        "from flax.training.train_state import TrainState\n"
        "TrainState.create(apply_fn=None, params=x)"
    ),
    "TypeError: TrainState.apply_gradients() takes": (
        "from flax.training.train_state import TrainState\n"
        "state = TrainState.create(apply_fn=None, params=x, tx=optax.sgd(0.1))\n"
        "state.apply_gradients(x)"
    ),
    "TypeError: TrainState.create() missing … 'graphdef'": (
        "nnx.TrainState.create(apply_fn=None, params=x, tx=optax.sgd(0.1))"
    ),
    "ValueError: Cannot return captured Variable": (
        "scale = nnx.Param(x)\nnnx.jit(lambda x: (scale, x), graph=False)(x)"
    ),
    "AttributeError: 'function' object has no attribute 'init'": (
        "from flax.training.train_state import TrainState\n"
        "TrainState.create(apply_fn=None, params={'w': x}, tx=optax.adam)"
    ),
    "AttributeError: 'FrozenDict' object has no attribute": (
        "from flax.core import FrozenDict\nFrozenDict({'w': x}).update({'w': x})"
    ),
    "AttributeError: 'dict' object has no attribute 'unfreeze'": (
        "state = {'params': {'kernel': x}, 'opt_state': x}\nstate.unfreeze()"
    ),
    "AttributeError: 'dict' object has no attribute 'params'": (
        "state = {'params': {'kernel': x}, 'opt_state': x}\nstate.params"
    ),
    "AttributeError: 'dict' object has no attribute 'opt_state'": (
        "state = {'params': {'kernel': x}, 'opt_state': x}\nstate.opt_state"
    ),
    "AttributeError: 'dict' object has no attribute 'kernel'": (
        "state = {'params': {'kernel': x}, 'opt_state': x}\nstate['params'].kernel"
    ),
    "TypeError: State.__init__() got an unexpected keyword argument": (
        "from flax.training.train_state import TrainState\n"
        "TrainState.create(apply_fn=None, params=x, tx=optax.sgd(0.1), key=key)"
    ),
    "TypeError: TrainState.__init__() got an unexpected keyword argument": (
        "from flax.training.train_state import TrainState\n"
        "state = TrainState.create(apply_fn=None, params=x, tx=optax.sgd(0.1))\n"
        "state.replace(steps=3)"
    ),
    "TypeError: initialize_carry() takes": (
        "from flax import linen\nlinen.GRUCell(4).initialize_carry(key, (2,), 4)"
    ),
    "TypeError: Failed to hash Flax Module": (
        "from flax import linen\nhash(linen.Dense(3, kernel_init=x))"
    ),
    "ScopeCollectionNotFound: from collection … vmap(": (
        "from flax import linen\nlinen.vmap(linen.Dense)(4).init(key, jnp.ones((2, 3)))"
    ),
    "ScopeCollectionNotFound: from collection … scan(": (
        "from flax import linen\n"
        "linen.scan(linen.GRUCell)(4).init(key, jnp.ones(4), jnp.ones((5, 3)))"
    ),
    "ScopeParamNotFoundError: Could not find parameter named": (
        "from flax import linen\nlinen.Dense(1).apply({'params': {'bias': x}}, x)"
    ),
    "AttributeError: 'TrainState' object has no attribute": (
        "from flax.training.train_state import TrainState\n"
        "state = TrainState.create(apply_fn=None, params=x, tx=optax.sgd(0.1))\n"
        "state.apply(x)"
    ),
    "TypeError: merge() missing 1 required positional argument: 'state'": (
        "nnx.merge(nnx.split(layer)[0])"
    ),
    "AttributeError: 'list' object has no attribute 'ndim'": (
        "nnx.Conv(1, 2, (3,), rngs=nnx.Rngs(0))([[1.0], [2.0]])"
    ),
    "AttributeError: 'list' object has no attribute 'shape'": (
        "nnx.Dropout(0.5, rngs=nnx.Rngs(0))([1.0, 2.0])"
    ),
    "TypeError: Invalid index type": (
        "layers = nnx.List([layer])\njax.lax.fori_loop(0, 1, lambda i, x: layers[i](x), x)"
    ),
    "AttributeError: object has no attribute 'split'": ("layer.split()"),
    "ValueError: values to unpack (expected 2": (
        "nnx.grad(lambda model, x: (model(x).sum(), x, 3), has_aux=True)(\n"
        "    nnx.Linear(3, 3, rngs=nnx.Rngs(0)), x\n)"
    ),
    "ValueError: different lengths of tuple at key path\n    tree_map tree\n": (
        "nnx.vmap(lambda model, x: model(x), in_axes=(None, 0, 0))(\n"
        "    nnx.Linear(3, 3, rngs=nnx.Rngs(0)), jnp.ones((2, 3))\n)"
    ),
    "AttributeError: 'list' object has no attribute 'dtype'": (
        "nnx.Embed(3, 4, rngs=nnx.Rngs(0))([1, 2])"
    ),
    "AttributeError: object has no attribute '_graphdef'": (
        "def step(i, layer):\n    layer.bias[...] += 1\n\nnnx.fori_loop(0, 2, step, layer)"
    ),
    "ValueError: on immutable node of type": (
        "saved = nnx.state(nnx.Dropout(0.5, rngs=nnx.Rngs(0)))\n"
        "nnx.update(nnx.Dropout(0.5), {'rngs': saved['rngs']})"
    ),
    "TypeError: passed to frozenset.__format__": (
        "nnx.state(nnx.Linear(2, 1, rngs=nnx.Rngs(0)), frozenset({nnx.Param}))"
    ),
    "TypeError: Optimizer.update() missing 1 required positional argument: 'model'": (
        "model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))\n"
        "nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param).update(grads={})"
    ),
    "AttributeError: 'Optimizer' object has no attribute": (
        "nnx.Optimizer(layer, optax.sgd(0.1), wrt=nnx.Param).params"
    ),
    "AttributeError: 'NoneType' object has no attribute 'params'": "nnx.Linear(2, 3, rngs=None)",
    "TypeError: Conv.__init__() missing … 'kernel_size'": "nnx.Conv(1, 8, rngs=nnx.Rngs(0))",
    "TypeError: __init__() got an unexpected keyword argument": (
        "nnx.Linear(2, 3, bias=False, rngs=nnx.Rngs(0))"
    ),
    "TypeError: __call__() got an unexpected keyword argument": (
        "nnx.Linear(2, 3, rngs=nnx.Rngs(0))(x, train=True)"
    ),
    "ValueError: axes to be mapped … .value of type": (
        "jax.vmap(nnx.Linear.__call__)(layer, jnp.ones((5, 3)))"
    ),
    # modules and Variables
    "TraceContextError: from different trace level": (
        "jax.jit(lambda x: setattr(layer, 'name', x))(x)"
    ),
    "ValueError: Found `TreeState` object at path": (
        "nnx.vmap(nnx.Linear.__call__, in_axes=(nnx.prefix(layer, {...: None}), 0))(layer, x)"
    ),
    "ValueError: Graph nodes are not allowed as prefixes": (
        "prefix = nnx.prefix(layer, {...: None}, graph=False)\n"
        "nnx.vmap(nnx.Linear.__call__, in_axes=(prefix, 0))(layer, x)"
    ),
    "ValueError: Found unexpected data on value of type": (
        "class Stack(nnx.Module):\n"
        "    def __init__(self):\n"
        "        self.layers = []\n"
        "        self.layers.append(layer)\n"
        "Stack()"
    ),
    "AttributeError: 'int' object has no attribute 'params'": "nnx.Linear(2, 3, rngs=0)",
    "AttributeError: ArrayImpl' object has no attribute 'params'": (
        "nnx.Linear(2, 3, rngs=jax.random.PRNGKey(0))"
    ),
    "AttributeError: Tracer has no attribute params": (
        "jax.jit(lambda key: nnx.Linear(2, 3, rngs=key))(key)"
    ),
    "AttributeError: object has no attribute 'params'": "layer.params",
    "ValueError: Non-hashable static arguments are not supported": (
        "step = nnx.jit(lambda layer, sizes: layer, static_argnums=1)\nstep(layer, [2, 3])"
    ),
    "ValueError: cannot select an axis to squeeze out which has size": (
        "step = nnx.pmap(nnx.Linear.__call__, in_axes=(None, 0), devices=jax.devices()[:1])\n"
        "step(layer, jnp.ones((7, 3)))"
    ),
    "ValueError: cached_partial is a graph-mode-only API": (
        "with nnx.set_graph_mode(False):\n"
        "    nnx.cached_partial(nnx.jit(nnx.Linear.__call__), layer)"
    ),
    "ValueError: arguments should be comparable": (
        "class Scale:\n    factors = np.ones(2)\n"
        "    def __hash__(self):\n        return 1\n"
        "    def __eq__(self, other):\n        return self.factors == other.factors\n"
        "step = nnx.jit(lambda x, scale: x, static_argnums=1)\n"
        "step(x, Scale())\n"
        "step(x, Scale())"
    ),
    "ValueError: Found data on value of type '<class 'flax.nnx.statelib.State'>'": (
        "layers = lambda n: nnx.List([nnx.Linear(2, 2, rngs=nnx.Rngs(0)) for _ in range(n)])\n"
        "nnx.update(layers(1), nnx.state(layers(2)))"
    ),
    "TypeError: carry input … ._graphdef is a <class 'flax.nnx.graphlib.GraphDef'>": (
        "def add(i, layer):\n    layer.last = nnx.Variable(x)\n    return layer\n"
        "nnx.fori_loop(0, 2, add, layer)"
    ),
    "ValueError: to be of type '": "layer.sow(nnx.Intermediate, 'kernel', x)",
    "DeprecationWarning: outside of 'nnx.capture()' is deprecated": (
        "layer.sow(nnx.Intermediate, 'h', x)"
    ),
    "TypeError: cannot reshape array of shape … into shape [": (
        "nnx.LayerNorm(4, rngs=nnx.Rngs(0))(jnp.ones((2, 3)))"
    ),
    "TypeError: Accuracy.update() missing": "nnx.metrics.Accuracy().update(loss=x)",
    "ValueError: FrozenDict is immutable": (
        "from flax.core import freeze\nfreeze({'w': x})['w'] = 2 * x"
    ),
    "ValueError: RNGs must be provided to initialize the cell carry": (
        "nnx.LSTMCell(3, 4, rngs=nnx.Rngs(0)).initialize_carry((1, 3))"
    ),
    # Flax Linen
    "AssertionError: must be divisible by number of heads": (
        "import flax.linen as nn\n"
        "layer = nn.MultiHeadDotProductAttention(3, qkv_features=4)\n"
        "layer.init(key, jnp.ones((1, 2, 4)))"
    ),
    "AttributeError: only accessible from inside 'init' or 'apply'": (
        "import flax.linen as nn\n"
        "class Net(nn.Module):\n"
        "    def setup(self):\n"
        "        self.dense = nn.Dense(4)\n"
        "Net().dense"
    ),
    "ApplyScopeInvalidVariablesTypeError: ": (
        "import flax.linen as nn\ndense = nn.Dense(4)\ndense.apply(dense.init(key, x)['params'], x)"
    ),
    "ApplyScopeInvalidVariablesStructureError: ": (
        "import flax.linen as nn\n"
        "dense = nn.Dense(4)\n"
        "dense.apply({'params': dense.init(key, x)}, x)"
    ),
    "TypeError: passed to types.UnionType.__format__": "nnx.state(layer, nnx.Param | nnx.Cache)",
    "TypeError: passed to Param.__format__": "'{:.2f}'.format(layer.bias)",
    "TypeError: passed to Variable.__format__": "'{:.2f}'.format(nnx.Variable(x))",
    "TypeError: passed to BatchStat.__format__": "'{:.2f}'.format(nnx.BatchStat(x))",
    "TypeError: passed to dict.__format__": "nnx.state(layer, {nnx.Param: 1})",
    "ValueError: Invalid format specifier '!r'": "nnx.state(layer, 1)",
    "ValueError: Autoregressive cache shape error": (
        "attention.init_cache((1, 3, 4))\nattention(jnp.ones((1, 3, 4)), decode=True)"
    ),
    "ValueError: 'rngs' must be provided to __call__": (
        "attention(jnp.ones((1, 3, 4)), decode=False, deterministic=False)"
    ),
    # loops of NNX and gradients
    "ValueError: it cannot be nested": (
        "nnx.scan(jnp.add, in_axes=((nnx.Carry,), 0), out_axes=nnx.Carry)((0.0,), x)"
    ),
    "ValueError: Found multiple Carry definitions": (
        "nnx.scan(jnp.add, in_axes=(nnx.Carry, nnx.Carry), out_axes=nnx.Carry)(0.0, x)"
    ),
    "ValueError: subtree of type\n    <class 'flax.nnx.statelib.State'>": (
        "jax.tree.map(jnp.add, nnx.state(layer), layer)"
    ),
    "ValueError: subtree of different type\n    <class 'flax.nnx.statelib.State'>": (
        "jax.tree.map(jnp.add, layer, nnx.state(layer))"
    ),
    "AttributeError: To delete Variable metadata use": "del nnx.Param(x, unit='metre').unit",
    # names of Flax Linen
    "AttributeError: object has no attribute 'variables'": "layer.variables",
    "AttributeError: object has no attribute 'bind'": "layer.bind({})",
    "AttributeError: object has no attribute 'tabulate'": "layer.tabulate(key, x)",
    "ValueError: No filter matched leaf at path": "nnx.prefix(layer, {nnx.BatchStat: 0})",
    # layers of Linen
    "ValueError: must be initialized in `setup()`": (
        "import flax.linen as nn\n"
        "class Scale(nn.Module):\n"
        "    def __call__(self, x):\n"
        "        return x * self.param('scale', nn.initializers.ones, x.shape)\n"
        "Scale().init(key, x)"
    ),
    "IncorrectPostInitOverrideError: ": (
        "import flax.linen as nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n        self.dense = nn.Dense(2)\n"
        "    def __call__(self, x):\n        return self.dense(x)\n"
        "Net().init(key, x)"
    ),
    "SetAttributeInModuleSetupError: ": (
        "import flax.linen as nn\n"
        "class Net(nn.Module):\n"
        "    features: int = 2\n"
        "    def setup(self):\n        self.features = 3\n"
        "    def __call__(self, x):\n        return x\n"
        "Net().init(key, x)"
    ),
    "NameInUseError: ": (
        "import flax.linen as nn\n"
        "class Net(nn.Module):\n"
        "    @nn.compact\n"
        "    def __call__(self, x):\n"
        "        return nn.Dense(2, name='out')(nn.Dense(2, name='out')(x))\n"
        "Net().init(key, x)"
    ),
    # states, and modules with arrays
    "AttributeError: has no attribute 'get_raw_value'": (
        "class Scaled(nnx.Module):\n"
        "    def __init__(self):\n"
        "        self.w, self.offset = nnx.Param(jnp.ones(3)), nnx.data(jnp.zeros(3))\n"
        "step = nnx.jit(lambda model, x: model.w * x + model.offset)\n"
        "nnx.cached_partial(step, Scaled())(x)"
    ),
    "ValueError: in_axes specification must be a tree prefix … <class 'flax.nnx.statelib.State'>": (
        "graphdef, state = nnx.split(layer)\n"
        "apply = lambda state, x: nnx.merge(graphdef, state)(x)\n"
        "jax.vmap(apply, in_axes=({'kernel': None, 'bias': None}, 0))(state, jnp.ones((5, 3)))"
    ),
    "TypeError: 'State' object is not callable": "state = nnx.state(layer)\nstate(x)",
    "TypeError: : 'State' and '": "state = nnx.state(layer)\nstate * 2",
    "TypeError: and 'State'": "state = nnx.state(layer)\n0.1 * state",
    "ValueError: conv_general_dilated lhs and rhs must have the same number of dimensions": (
        "nnx.Conv(1, 4, kernel_size=(3,), rngs=nnx.Rngs(0))(jnp.ones(28))"
    ),
    # names of PyTorch
    "AttributeError: object has no attribute 'parameters'": "layer.parameters()",
    "AttributeError: object has no attribute 'state_dict'": "layer.state_dict()",
    "AttributeError: 'Linear' object has no attribute 'weight'": "layer.weight",
}

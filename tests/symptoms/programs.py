"""Programs as people write them, each with the page that its error leads to."""

#: What is wrong, the page, and the program.
PROGRAMS = {
    ("parameters made as in Linen", "no-init-and-apply"): (
        "layer = nnx.Linear(3, 2, rngs=nnx.Rngs(0))\n"
        "layer.init(jax.random.key(0), jnp.ones((1, 3)))"
    ),
    ("classes that were not counted", "unexpected-keyword"): "jax.nn.one_hot(jnp.arange(3))",
    ("a loss without its second part", "grad-aux-pair"): (
        "def loss(model, x):\n"
        "    return (model(x) ** 2).mean()\n"
        "model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))\n"
        "(value, seen), slopes = nnx.value_and_grad(loss, has_aux=True)(model, jnp.ones((1, 3)))"
    ),
    ("an initializer that was not made", "Param-holds-a-value"): (
        "class Net(nnx.Module):\n"
        "    def __init__(self, rngs):\n"
        "        init = nnx.initializers.xavier_uniform\n"
        "        self.fc = nnx.Linear(3, 2, kernel_init=init, rngs=rngs)\n"
        "    def __call__(self, x):\n"
        "        return nnx.relu(self.fc(x))\n"
        "Net(nnx.Rngs(0))(jnp.ones((1, 3)))"
    ),
    ("tables joined without a list", "concatenate-scalars"): (
        "jnp.concatenate(jnp.ones((2, 2)), jnp.ones((2, 2)))"
    ),
    ("gradients of another shape", "broadcasting"): (
        "tx = optax.adam(0.1)\ntx.update(jnp.ones((2, 3)), tx.init(jnp.ones(4)))"
    ),
    ("updates that were not unpacked", "optimizer-structure"): (
        "params = {'w': jnp.ones(2), 'b': jnp.ones(1)}\n"
        "tx = optax.adam(0.1)\n"
        "optax.apply_updates(params, tx.update(params, tx.init(params), params))"
    ),
    ("the parts of a decomposition", "unpack-keys"): "u, s = jnp.linalg.svd(jnp.eye(2))",
    ("the largest scores and their places", "unpack-keys"): (
        "logits = jnp.ones((8, 10))\nvalues, indices = jnp.max(logits, axis=1)"
    ),
    ("noise without a key", "key-expected"): "noise = jax.random.uniform(minval=-1.0)",
    ("an operand before the branches", "cond-callables"): (
        "x = jnp.float32(2)\ny = jax.lax.cond(x > 0, x, lambda x: x, lambda x: -x)"
    ),
    ("a training loop around its model", "returned-from-outside"): (
        "model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))\n"
        "optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)\n"
        "def step(carry, x):\n"
        "    slopes = nnx.grad(lambda model: (model(x) ** 2).sum())(model)\n"
        "    optimizer.update(model, slopes)\n"
        "    return carry, None\n"
        "jax.lax.scan(step, None, jnp.ones((4, 3)))"
    ),
    ("axes of a grid", "unpack-keys"): "a, b, c = jnp.meshgrid(jnp.ones(2), jnp.ones(3))",
    ("gradients without the value", "unpack-keys"): (
        "def loss(params):\n"
        "    return (params['w'] ** 2).sum()\n"
        "value, slopes = jax.grad(loss)({'w': jnp.ones(2), 'b': jnp.ones(2), 'c': jnp.ones(1)})"
    ),
    ("a transform that was not called", "unpack-keys"): (
        "value, slopes = jax.value_and_grad(lambda w: (w**2).sum())"
    ),
    ("a step of gradient descent on a dictionary", "operand-types"): (
        "params = {'w': jnp.ones(2), 'b': jnp.ones(1)}\n"
        "slopes = jax.grad(lambda params: (params['w'] ** 2).sum())(params)\n"
        "params = params - 0.1 * slopes"
    ),
    ("gradients in a list", "operand-types"): (
        "slopes = [jnp.ones(2), jnp.ones(3)]\nscaled = 0.5 * slopes"
    ),
    ("a schedule that was not called", "schedule-steps"): (
        "step = optax.linear_schedule(0.1, 0.0, 10) * jnp.ones(2)"
    ),
    ("a rate from a file", "operand-types"): (
        "settings = {'rate': '0.1'}\nstep = settings['rate'] * jnp.ones(2)"
    ),
    ("metrics written as JSON", "not-json"): (
        "import json\nlosses = jnp.ones(3)\njson.dumps({'loss': losses.mean()})"
    ),
    ("a layer by its number", "not-subscriptable"): (
        "model = nnx.Sequential(nnx.Linear(2, 3, rngs=nnx.Rngs(0)), nnx.relu)\nfirst = model[0]"
    ),
    ("a jitted function in brackets", "not-subscriptable"): (
        "step = jax.jit(lambda x: (x, x))\nfirst = step[0]"
    ),
    ("parameters by the name of another library", "no-attribute-in-State"): (
        "state = nnx.state(nnx.Linear(2, 3, rngs=nnx.Rngs(0)))\nweights = state['weight']"
    ),
    ("a loss joined after append", "none-argument"): (
        "losses = [].append(jnp.ones(2))\njnp.stack(losses)"
    ),
    ("bounds before the shape", "shape-not-a-tuple"): (
        "jax.random.randint(jax.random.key(0), 0, 100, (32,))"
    ),
    ("a device by its name", "unknown-backend"): "jnp.zeros(3, device='gpu')",
    ("waiting for a pair", "attribute-of-tracer"): (
        "pair = jax.jit(lambda x: (x, x))(jnp.ones(2))\npair.block_until_ready()"
    ),
    ("a method of a class whose objects have no hash", "nonhashable-static"): (
        "from functools import partial\n"
        "class Model:\n"
        "    def __eq__(self, other):\n"
        "        return True\n"
        "    @partial(jax.jit, static_argnums=0)\n"
        "    def step(self, x):\n"
        "        return x\n"
        "Model().step(jnp.ones(2))"
    ),
    ("a list for a loss of optax", "list-argument"): (
        "optax.softmax_cross_entropy([0.1, 0.9], [0.0, 1.0])"
    ),
    ("integers in a function of jax.nn", "lax-dtypes"): "jax.nn.sigmoid(jnp.arange(3))",
    ("a graphdef that was called", "not-a-graphdef"): (
        "model = nnx.Linear(3, 1, rngs=nnx.Rngs(0))\n"
        "graphdef = nnx.graphdef(model)\n"
        "graphdef(nnx.state(model), jnp.ones((1, 3)))"
    ),
    ("a learning rate in the state", "optimizer-methods"): (
        "params = {'w': jnp.ones(3)}\n"
        "optax.adam(1e-3).init(params).hyperparams['learning_rate'] = 1e-4"
    ),
    ("a list of layers that is called", "nnx-scan-layers"): (
        "class Net(nnx.Module):\n"
        "    def __init__(self, rngs):\n"
        "        self.layers = nnx.List([nnx.Linear(3, 3, rngs=rngs)])\n"
        "    def __call__(self, x):\n"
        "        return nnx.relu(self.layers(x))\n"
        "net = Net(nnx.Rngs(0))\n"
        "net(jnp.ones((1, 3)))"
    ),
    ("a module with forward", "module-without-call"): (
        "class Net(nnx.Module):\n"
        "    def __init__(self, rngs):\n"
        "        self.fc = nnx.Linear(4, 4, rngs=rngs)\n"
        "    def forward(self, x):\n"
        "        return self.fc(x)\n"
        "model = Net(nnx.Rngs(0))\n"
        "nnx.relu(model(jnp.ones((1, 4))))"
    ),
    ("a scan over a list of layers", "nnx-scan-layers"): (
        "layers = nnx.List([nnx.Linear(4, 4, rngs=nnx.Rngs(i)) for i in range(3)])\n"
        "@nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)\n"
        "def run(x, layer):\n"
        "    return nnx.relu(layer(x))\n"
        "run(jnp.ones((2, 4)), layers)"
    ),
    ("a schedule that is scaled", "schedule-steps"): (
        "schedule = optax.cosine_decay_schedule(1e-3, 10)\noptax.adam(schedule * 0.1)"
    ),
    ("metrics without names", "metric-keyword"): (
        "metrics = nnx.MultiMetric(loss=nnx.metrics.Average('loss'))\n"
        "metrics.update(0.3, jnp.ones((4, 10)), jnp.zeros(4, jnp.int32))"
    ),
    ("a parameter with its shape", "Param-holds-a-value"): ("nnx.Param(jax.random.normal, (3, 2))"),
    ("a parameter that is an initializer", "Param-holds-a-value"): (
        "class Net(nnx.Module):\n"
        "    def __init__(self, rngs):\n"
        "        self.w = nnx.Param(nnx.initializers.lecun_normal())\n"
        "    def __call__(self, x):\n"
        "        return x @ self.w\n"
        "net = Net(nnx.Rngs(0))\n"
        "net(jnp.ones((1, 4)))"
    ),
    ("a bias that is an initializer", "Param-holds-a-value"): (
        "class Shift(nnx.Module):\n"
        "    def __init__(self):\n"
        "        self.b = nnx.Param(nnx.initializers.zeros)\n"
        "    def __call__(self, x):\n"
        "        return x + self.b\n"
        "shift = Shift()\n"
        "shift(jnp.ones((1, 4)))"
    ),
    ("an optimizer that was not made", "optimizer-arguments"): (
        "nnx.Optimizer(nnx.Linear(3, 1, rngs=nnx.Rngs(0)), optax.adam, wrt=nnx.Param)"
    ),
    ("an optimizer before the model", "optimizer-arguments"): (
        "model = nnx.Linear(3, 1, rngs=nnx.Rngs(0))\n"
        "nnx.Optimizer(optax.adam(1e-3), model, wrt=nnx.Param)"
    ),
    ("a learning rate as optimizer", "optimizer-arguments"): (
        "nnx.Optimizer(nnx.Linear(3, 1, rngs=nnx.Rngs(0)), 1e-3, wrt=nnx.Param)"
    ),
    ("an activation that was called", "Sequential-not-callable"): (
        "nnx.Sequential(nnx.Linear(3, 1, rngs=nnx.Rngs(0)), nnx.relu())"
    ),
    ("a gelu that was called", "Sequential-not-callable"): (
        "nnx.Sequential(nnx.Linear(3, 1, rngs=nnx.Rngs(0)), nnx.gelu())"
    ),
    ("a state for each kind without filters", "not-a-graphdef"): (
        "graphdef, params, rest = nnx.split(nnx.BatchNorm(3, rngs=nnx.Rngs(0)))"
    ),
    ("two names for three parts", "not-a-graphdef"): (
        "model = nnx.BatchNorm(3, rngs=nnx.Rngs(0))\n"
        "graphdef, params = nnx.split(model, nnx.Param, ...)"
    ),
    ("a scan over one layer", "nnx-scan-layers"): (
        "block = nnx.Linear(4, 4, rngs=nnx.Rngs(0))\n"
        "@nnx.scan(in_axes=(0, nnx.Carry), out_axes=nnx.Carry, length=3)\n"
        "def forward(block, x):\n"
        "    return block(x)\n"
        "forward(block, jnp.ones((2, 4)))"
    ),
    ("a name in the parameters", "optimizer-structure"): (
        "optax.adam(1e-3).init({'w': jnp.ones(2), 'name': 'encoder'})"
    ),
    ("the gradient of one entry", "optimizer-structure"): (
        "params = {'w': jnp.ones(3), 'b': jnp.ones(1)}\n"
        "tx = optax.adam(1e-3)\n"
        "state = tx.init(params)\n"
        "gradient = jax.grad(lambda w: jnp.sum(w**2))(params['w'])\n"
        "tx.update(gradient, state, params)"
    ),
    ("the gradient of one entry in a jitted step", "optimizer-structure"): (
        "params = {'w': jnp.ones(3), 'b': jnp.ones(1)}\n"
        "tx = optax.sgd(1e-3, momentum=0.9)\n"
        "state = tx.init(params)\n"
        "@jax.jit\n"
        "def step(w, state):\n"
        "    return tx.update(jax.grad(lambda w: jnp.sum(w**2))(w), state)\n"
        "step(params['w'], state)"
    ),
    ("labels of sequences", "optax-labels"): (
        "logits, labels = jnp.ones((4, 5, 7)), jnp.zeros(4, int)\n"
        "optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()"
    ),
    ("a filter of nnx.grad", "gradients-of-another-structure"): (
        "model = nnx.Linear(3, 1, rngs=nnx.Rngs(0))\n"
        "nnx.grad(lambda m: m(jnp.ones((1, 3))).sum(), wrt=nnx.Param)(model)"
    ),
    ("a loss that closes over its model", "gradients-of-another-structure"): (
        "model = nnx.Linear(3, 1, rngs=nnx.Rngs(0))\n"
        "def loss(x, y):\n"
        "    return jnp.mean((model(x) - y) ** 2)\n"
        "grads = nnx.grad(loss)(jnp.ones((2, 3)), jnp.ones((2, 1)))\n"
        "optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)\n"
        "optimizer.update(model, grads)"
    ),
    ("the loss in place of the gradients", "gradients-of-another-structure"): (
        "model = nnx.Linear(3, 1, rngs=nnx.Rngs(0))\n"
        "optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)\n"
        "@nnx.jit\n"
        "def step(model, optimizer, x):\n"
        "    optimizer.update(model, model(x).mean())\n"
        "step(model, optimizer, jnp.ones((2, 3)))"
    ),
    ("weights from a list", "value-of-Variable"): (
        "layer = nnx.Linear(3, 2, rngs=nnx.Rngs(0))\n"
        "layer.kernel = np.ones((3, 2)).tolist()\n"
        "layer(jnp.ones((1, 3)))"
    ),
    ("a parameter replaced by an array", "value-of-Variable"): (
        "layer = nnx.Linear(3, 2, rngs=nnx.Rngs(0))\n"
        "layer.kernel = layer.kernel.at[0].set(0.0)\n"
        "layer.kernel.value"
    ),
    ("a counter replaced by an array", "value-of-Variable"): (
        "class Counter(nnx.Module):\n"
        "    def __init__(self):\n"
        "        self.count = nnx.Variable(jnp.array(0))\n"
        "    def __call__(self):\n"
        "        self.count = self.count + 1\n"
        "counter = Counter()\n"
        "nnx.jit(lambda counter: counter())(counter)\n"
        "counter.count.get_value()"
    ),
    ("the value of an output", "value-of-Variable"): (
        "layer = nnx.Linear(4, 2, rngs=nnx.Rngs(0))\nx = layer(jnp.ones((1, 4)))\nx.value"
    ),
    ("a model told not to train", "mode-not-set"): (
        "model = nnx.Dropout(0.5, rngs=nnx.Rngs(0))\nmodel.train(False)"
    ),
    ("a batch norm in a branch", "TraceContextError"): (
        "norm = nnx.BatchNorm(3, rngs=nnx.Rngs(0))\n"
        "lax.cond(True, lambda x: norm(x), lambda x: x, jnp.ones((4, 3)))"
    ),
    ("gradients set to zero", "Optimizer-has-no-model"): (
        "model = nnx.Linear(3, 1, rngs=nnx.Rngs(0))\n"
        "optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)\n"
        "optimizer.zero_grad()"
    ),
    ("a cell without a carry", "cell-carry"): (
        "cell = nnx.GRUCell(3, 8, rngs=nnx.Rngs(0))\nh, y = cell(None, jnp.ones((2, 3)))"
    ),
    ("an LSTM without a carry", "cell-carry"): (
        "cell = nnx.LSTMCell(3, 8, rngs=nnx.Rngs(0))\nh, y = cell(None, jnp.ones((2, 3)))"
    ),
    ("a carry of another batch", "cell-carry"): (
        "cell = nnx.GRUCell(4, 8, rngs=nnx.Rngs(0))\n"
        "carry = cell.initialize_carry((32, 4), rngs=nnx.Rngs(1))\n"
        "carry, y = cell(carry, jnp.ones((5, 4)))"
    ),
    ("a schedule in scale", "schedule-steps"): (
        "params = {'w': jnp.ones(3)}\n"
        "schedule = optax.cosine_decay_schedule(1e-3, 100)\n"
        "tx = optax.chain(optax.scale_by_adam(), optax.scale(schedule))\n"
        "state = tx.init(params)\n"
        "tx.update(params, state)"
    ),
    ("a list of boundaries", "schedule-steps"): (
        "optax.piecewise_constant_schedule(1e-3, [1000, 2000])"
    ),
    ("steps to accumulate that nobody named", "optimizer-arguments"): (
        "optax.MultiSteps(optax.adam(1e-3))"
    ),
    ("None for a frozen parameter", "optimizer-structure"): (
        "params = {'w': jnp.ones(2), 'b': jnp.ones(1)}\n"
        "tx = optax.adam(1e-3)\n"
        "tx.update({'w': jnp.ones(2), 'b': None}, tx.init(params), params)"
    ),
    ("a scan without its start", "unexpected-keyword"): "jax.lax.scan(lambda c, x: (c, x))",
    ("a step of a loop whose arguments are swapped", "float-index"): (
        "jax.lax.fori_loop(0, 3, lambda out, i: out.at[i].set(i), jnp.zeros(3))"
    ),
    ("a model of Linen that got no input", "linen-apply"): (
        "class Net(flax.linen.Module):\n"
        "    @flax.linen.compact\n"
        "    def __call__(self, x):\n"
        "        return flax.linen.Dense(3)(x)\n"
        "net = Net()\n"
        "net.init(jax.random.key(0))"
    ),
    ("a printed f-string", "debug-print"): (
        "@jax.jit\n"
        "def loss(w):\n"
        "    jax.debug.print(f'w is {w}', w=w)\n"
        "    return w**2\n"
        "loss(jnp.ones(2))"
    ),
    ("an attention inside a block", "decode-not-set"): (
        "class Block(nnx.Module):\n"
        "    def __init__(self, rngs):\n"
        "        self.attention = nnx.MultiHeadAttention(2, 8, rngs=rngs)\n"
        "    def __call__(self, x):\n"
        "        return x + self.attention(x)\n"
        "Block(nnx.Rngs(0))(jnp.ones((1, 5, 8)))"
    ),
    ("a model of one number mapped over numbers", "matmul-scalar"): (
        "model = nnx.Linear(1, 4, rngs=nnx.Rngs(0))\njax.vmap(model)(jnp.linspace(0.0, 1.0, 8))"
    ),
    ("an array of NumPy reshaped by jnp", "reshape-size"): (
        "pixels = np.arange(10)\njnp.reshape(pixels, (3, 3))"
    ),
    ("64 bits by a short name", "jax-has-no-attribute"): "jax.config.update('enable_x64', True)",
    ("a layer told that it trains", "unexpected-keyword"): (
        "layer = nnx.Linear(3, 2, rngs=nnx.Rngs(0))\nlayer(jnp.ones((1, 3)), train=True)"
    ),
    ("a sum with a dim", "unexpected-keyword"): "jnp.sum(jnp.ones((2, 3)), dim=0)",
    ("a window past the end", "slice-sizes"): "jax.lax.slice_in_dim(jnp.arange(4), 0, 6)",
    ("the structure in the second place", "tree-unflatten"): (
        "leaves, structure = jax.tree.flatten({'w': jnp.ones(2)})\n"
        "jax.tree.unflatten(leaves, structure)"
    ),
    ("the branches of a switch one by one", "cond-callables"): (
        "def up(x):\n    return x + 1\n"
        "def down(x):\n    return x - 1\n"
        "jax.lax.switch(0, up, down, 1.0)"
    ),
    ("a softmax by dim", "unexpected-keyword"): (
        "@jax.jit\n"
        "def attend(scores):\n"
        "    return jax.nn.softmax(scores, dim=-1)\n"
        "attend(jnp.ones(3))"
    ),
    ("a shape called in jit", "no-such-attribute"): (
        "@jax.jit\ndef flat(x):\n    return x.reshape(x.shape()[0], -1)\nflat(jnp.ones((2, 3)))"
    ),
    ("clipping gradients in place", "read-only"): (
        "gradient = np.asarray(jax.grad(lambda w: (w**2).sum())(jnp.ones(3)))\ngradient *= 0.5"
    ),
    ("a table of NumPy updated in a loop", "in-place-assignment"): (
        "counts = np.zeros(4)\n"
        "@jax.jit\n"
        "def counted(token):\n"
        "    return counts.at[token].add(1)\n"
        "counted(2)"
    ),
    ("a window from a traced start", "slice-sizes"): (
        "@jax.jit\n"
        "def window(series, start):\n"
        "    return jax.lax.dynamic_slice(series, start, (3,))\n"
        "window(jnp.arange(10), 2)"
    ),
    ("a number of steps as xs", "scan-no-leading-axis"): (
        "@jax.jit\n"
        "def simulate(x, steps):\n"
        "    return jax.lax.scan(lambda x, _: (0.9 * x, None), x, steps)[0]\n"
        "simulate(1.0, 10)"
    ),
    ("a buffer of NumPy with a traced size", "traced-shape"): (
        "@jax.jit\n"
        "def padded(x, size):\n"
        "    return jnp.concatenate([x, np.zeros(size - 3)])\n"
        "padded(jnp.ones(3), 5)"
    ),
    ("the step of a loop returns its loss", "carry-is-another-object"): (
        "model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))\n"
        "def step(i, model):\n"
        "    return model(jnp.ones(2)).sum()\n"
        "nnx.fori_loop(0, 3, step, model)"
    ),
    ("a digit without its channel", "Conv-input-size"): (
        "conv = nnx.Conv(1, 32, kernel_size=(3, 3), rngs=nnx.Rngs(0))\nconv(jnp.ones((28, 28)))"
    ),
    ("a rate set in the state of optax", "frozen-struct"): (
        "optimizer = optax.inject_hyperparams(optax.sgd)(learning_rate=0.1)\n"
        "state = optimizer.init(jnp.ones(2))\n"
        "state.hyperparams = {'learning_rate': 0.01}"
    ),
    ("a step counter among the parameters", "grad-integer-input"): (
        "params = {'w': jnp.ones(2), 'step': jnp.array(0)}\n"
        "optimizer = optax.adam(1e-3)\n"
        "@jax.jit\n"
        "def train(params, state):\n"
        "    gradients = jax.grad(lambda p: (p['w'] ** 2).sum(), allow_int=True)(params)\n"
        "    return optimizer.update(gradients, state, params)\n"
        "train(params, optimizer.init(params))"
    ),
    (
        "a pixel in eight bits",
        "int-overflow",
    ): "jnp.full((2, 2), 255, jnp.int8)\njnp.array(255, jnp.int8)",
    ("names in a NumPy array", "non-numeric-array"): "jnp.asarray(np.array(['cat', 'dog']))",
    ("a column with None", "non-numeric-array"): "jnp.asarray(np.array([1.5, None]))",
    ("gradients by keyword", "Optimizer-has-no-model"): (
        "model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))\n"
        "optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)\n"
        "optimizer.update(grads=nnx.state(model, nnx.Param))"
    ),
    ("a frozenset of filters", "invalid-filter"): (
        "nnx.split(nnx.Linear(2, 1, rngs=nnx.Rngs(0)), frozenset({nnx.Param}), ...)"
    ),
    ("a batch for one device", "pmap-sizes"): (
        "step = jax.pmap(lambda w, row: row @ w, in_axes=(None, 0), devices=jax.devices()[:1])\n"
        "step(jnp.ones(3), jnp.ones((32, 3)))"
    ),
    ("one place under vmap", "ppermute-pairs"): (
        "def shifted(x):\n"
        "    return jax.lax.ppermute(x, 'row', [(i, i + 1) for i in range(3)])\n"
        "jax.vmap(shifted, axis_name='row')(jnp.arange(4.0))"
    ),
    ("pmap called where it is made", "pmap-sizes"): (
        "jax.pmap(jnp.sin, devices=jax.devices()[:1])(jnp.arange(5.0))"
    ),
    ("top_k of a traced count", "top-k-count"): (
        "@jax.jit\n"
        "def beam(logits, width):\n"
        "    values, places = jax.lax.top_k(jax.nn.log_softmax(logits), width)\n"
        "    return places\n"
        "beam(jnp.ones(8), 3)"
    ),
    ("where without another value", "where-two-arguments"): (
        "@jax.jit\ndef relu(x):\n    return jnp.where(x > 0, x)\nrelu(jnp.ones(4))"
    ),
    ("relu with if", "TracerBoolConversionError"): (
        "@jax.jit\n"
        "def leaky(x):\n"
        "    if x > 0:\n"
        "        return x\n"
        "    return 0.01 * x\n"
        "leaky(jnp.float32(3.0))"
    ),
    ("np.mean in jit", "TracerArrayConversionError"): (
        "@jax.jit\n"
        "def standardize(batch):\n"
        "    return (batch - np.linalg.norm(batch)) / np.sqrt(batch)\n"
        "standardize(jnp.ones((3, 4)))"
    ),
    ("range over traced n", "TracerIntegerConversionError"): (
        "@jax.jit\n"
        "def power(x, n):\n"
        "    out = 1.0\n"
        "    for _ in range(n):\n"
        "        out = out * x\n"
        "    return out\n"
        "power(2.0, 3)"
    ),
    ("float of loss in grad", "python-number"): (
        "def loss(w):\n"
        "    value = jnp.sum(w ** 2)\n"
        "    history.append(float(value))\n"
        "    return value\n"
        "history = []\n"
        "jax.grad(loss)(jnp.ones(3))"
    ),
    ("loss.item() under grad", "item-of-tracer"): (
        "def loss(w):\n"
        "    l = jnp.mean(w ** 2)\n"
        "    print(l.item())\n"
        "    return l\n"
        "jax.jit(loss)(jnp.ones(3))"
    ),
    ("mask select jit", "NonConcreteBooleanIndexError"): (
        "@jax.jit\ndef positives(x):\n    return x[x > 0].sum()\npositives(jnp.arange(4.0) - 2)"
    ),
    ("leak to list", "UnexpectedTracerError"): (
        "kept = []\n"
        "@jax.jit\n"
        "def step(x):\n"
        "    kept.append(x * 2)\n"
        "    return x\n"
        "step(1.0)\n"
        "print(kept[0] + 1)"
    ),
    ("zeros with traced n", "traced-shape"): (
        "@jax.jit\ndef make(n):\n    return jnp.zeros((n, 2))\nmake(3)"
    ),
    ("traced slice", "traced-slice"): (
        "@jax.jit\ndef head(x, n):\n    return x[:n]\nhead(jnp.arange(5), 2)"
    ),
    ("arange traced", "arange-of-tracer"): (
        "@jax.jit\ndef grid(n):\n    return jnp.arange(n) / n\ngrid(4)"
    ),
    ("where one arg", "nonzero-size"): (
        "@jax.jit\ndef idx(x):\n    return jnp.where(x > 0)[0]\nidx(jnp.arange(4))"
    ),
    ("list static", "nonhashable-static"): (
        "@functools.partial(jax.jit, static_argnums=1)\n"
        "def mlp(x, sizes):\n"
        "    return x * len(sizes)\n"
        "mlp(1.0, [32, 32])"
    ),
    ("dict static, called at once", "nonhashable-static"): (
        "def run(x, settings):\n"
        "    return x * settings['lr']\n"
        "jax.jit(run, static_argnames='settings')(1.0, {'lr': 0.1})"
    ),
    ("dim of a method", "unexpected-keyword"): "jnp.ones((2, 3)).mean(dim=1)",
    ("keepdim", "unexpected-keyword"): "jnp.mean(jnp.ones((2, 3)), axis=1, keepdim=True)",
    ("softmax with dim", "unexpected-keyword"): "jax.nn.softmax(jnp.ones(3), dim=-1)",
    ("size of random numbers", "unexpected-keyword"): (
        "jax.random.normal(jax.random.key(0), size=(3,))"
    ),
    ("argnum", "unexpected-keyword"): "jax.grad(lambda x: x, argnum=0)",
    ("at[0] = 1", "in-place-assignment"): "x = jnp.zeros(3)\nx.at[0] = 1.0",
    ("x[0] = 1", "in-place-assignment"): ("x = jnp.zeros(3)\nx[0] = 1.0"),
    ("jnp.sum of list of floats", "list-argument"): ("losses = [1.0, 2.0, 3.0]\njnp.mean(losses)"),
    ("matmul mismatch", "contracting-dimensions"): (
        "w = jnp.ones((4, 5)); x = jnp.ones((3, 5))\nx @ w"
    ),
    ("adding (3,) (4,)", "broadcasting"): ("jnp.ones((2, 3)) + jnp.ones((2, 4))"),
    ("wrong len", "vmap-in-axes"): (
        "jax.vmap(lambda w, b, x: w * x + b, in_axes=(None, 0))(1.0, jnp.ones(3), jnp.ones(3))"
    ),
    ("list in_axes", "vmap-in-axes-tree"): (
        "jax.vmap(lambda p, x: p[0] * x, in_axes=([None], 0))((2.0,), jnp.ones(3))"
    ),
    ("batch sizes differ", "vmap-sizes"): (
        "jax.vmap(lambda x, y: jnp.dot(x, y))(jnp.ones((4, 3)), jnp.ones((5, 3)))"
    ),
    ("vmap scalar", "vmap-rank"): ("jax.vmap(lambda w, x: w * x)(2.0, jnp.ones(3))"),
    ("loss not reduced", "grad-vector-output"): (
        "def loss(w, x, y):\n"
        "    return (x @ w - y) ** 2\n"
        "jax.grad(loss)(jnp.ones(3), jnp.ones((5, 3)), jnp.ones(5))"
    ),
    ("grad int", "grad-integer-input"): ("jax.grad(lambda x: x ** 2)(3)"),
    ("returned tuple", "grad-tree-output"): ("jax.grad(lambda w: (jnp.sum(w), w))(jnp.ones(2))"),
    ("int carry float body", "carry-type"): (
        "lax.scan(lambda c, x: (c + x, c), jnp.int32(0), jnp.arange(3.0))"
    ),
    ("scan returns dict", "carry-structure"): (
        "lax.scan(lambda c, x: ((c[0] + x, c[1], 0.0), None), (0.0, 1.0), jnp.arange(3.0))"
    ),
    ("scan body without pair", "scan-pair"): ("lax.scan(lambda c, x: c + x, 0.0, jnp.arange(3.0))"),
    ("cond different dtypes", "branch-types"): (
        "lax.cond(True, lambda x: x, lambda x: x.astype(jnp.int32), jnp.float32(1))"
    ),
    ("grad through while", "while-reverse-mode"): (
        "def f(x):\n"
        "    return lax.while_loop(lambda v: v < 10, lambda v: v * 2, x)\n"
        "jax.grad(f)(1.0)"
    ),
    ("scan with axis keyword", "loop-keywords"): (
        "lax.scan(lambda c, x: (c, x), 0.0, jnp.ones(3), unrol=2)"
    ),
    ("trees differ", "tree-map-structure"): (
        'jax.tree.map(lambda a, b: a + b, {"w": 1, "b": 2}, {"w": 1})'
    ),
    ("jax.ops", "jax-has-no-attribute"): ("jax.ops.index_update(jnp.zeros(3), 0, 1.0)"),
    ("seed passed", "key-expected"): ("jax.random.normal(0, (3,))"),
    ("split two into three", "unpack-keys"): (
        "key = jax.random.key(0)\nkey, k1, k2 = jax.random.split(key)"
    ),
    ("keys array drawn", "key-single"): (
        "keys = random.split(random.key(0), 3)\nrandom.normal(keys, (2,))"
    ),
    ("string argument", "abstract-array"): (
        '@jax.jit\ndef run(x, mode):\n    return x\nrun(1.0, "train")'
    ),
    ("method jit", "jit-on-method"): (
        "class Model:\n"
        "    def __init__(self):\n"
        "        self.w = 2.0\n"
        "    @jax.jit\n"
        "    def __call__(self, x):\n"
        "        return self.w * x\n"
        "Model()(1.0)"
    ),
    ("constructor checks", "pytree-constructor"): (
        "@jax.tree_util.register_pytree_node_class\n"
        "class Point:\n"
        "    def __init__(self, x, y):\n"
        "        self.x = jnp.asarray(x, jnp.float32)\n"
        "        self.y = jnp.asarray(y, jnp.float32)\n"
        "    def tree_flatten(self):\n"
        "        return (self.x, self.y), None\n"
        "    @classmethod\n"
        "    def tree_unflatten(cls, aux, children):\n"
        "        return cls(*children)\n"
        "jax.jacfwd(lambda p: p.x + p.y)(Point(jnp.ones(3), jnp.ones(3)))"
    ),
    ("linear without rngs", "missing-rngs"): ("nnx.Linear(3, 4)"),
    ("key as rngs", "key-in-place-of-Rngs"): ("nnx.Linear(3, 4, rngs=jax.random.key(0))"),
    ("counter in jax.jit", "TraceContextError"): (
        "class Counter(nnx.Module):\n"
        "    def __init__(self):\n"
        "        self.n = nnx.Variable(jnp.array(0))\n"
        "    def __call__(self):\n"
        "        self.n[...] += 1\n"
        "c = Counter()\n"
        "jax.jit(lambda x: (c(), x)[1])(1.0)"
    ),
    ("optimizer no wrt", "Optimizer-without-wrt"): (
        "model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))\nnnx.Optimizer(model, optax.adam(1e-3))"
    ),
    ("opt update", "Optimizer-has-no-model"): (
        "model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))\n"
        "opt = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)\n"
        "opt.update(jax.tree.map(jnp.ones_like, nnx.state(model)))"
    ),
    ("list of layers", "modules-in-a-list"): (
        "class MLP(nnx.Module):\n"
        "    def __init__(self, rngs):\n"
        "        self.layers = [nnx.Linear(2, 2, rngs=rngs) for _ in range(3)]\n"
        "MLP(nnx.Rngs(0))"
    ),
    ("apply", "no-init-and-apply"): (
        'model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))\nmodel.apply({"params": {}}, jnp.ones((1, 2)))'
    ),
    ("split param only", "non-exhaustive-filters"): (
        "model = nnx.BatchNorm(2, rngs=nnx.Rngs(0))\ngraphdef, params = nnx.split(model, nnx.Param)"
    ),
    ("dropout", "Dropout-without-rngs"): ("d = nnx.Dropout(0.5)\nd(jnp.ones(3))"),
    ("embed of floats", "Embed-needs-integers"): (
        "nnx.Embed(10, 4, rngs=nnx.Rngs(0))(jnp.ones(3))"
    ),
    ("NCHW", "Conv-input-size"): (
        "nnx.Conv(3, 8, (3, 3), rngs=nnx.Rngs(0))(jnp.ones((1, 3, 32, 32)))"
    ),
    ("nnx.grad inside jax.jit", "returned-from-outside"): (
        "model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))\n"
        "@jax.jit\n"
        "def train_step(x, y):\n"
        "    return nnx.grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)\n"
        "train_step(jnp.ones((1, 1)), jnp.ones((4, 1)))"
    ),
    ("set of filters", "invalid-filter"): (
        "nnx.state(nnx.Linear(2, 3, rngs=nnx.Rngs(0)), {nnx.Param, nnx.BatchStat})"
    ),
    ("eval_shape model", "abstract-model-called"): (
        "m = nnx.eval_shape(lambda: nnx.Linear(2, 3, rngs=nnx.Rngs(0)))\nm(jnp.ones((1, 2)))"
    ),
    ("state.params", "no-attribute-in-State"): (
        "nnx.state(nnx.Linear(2, 3, rngs=nnx.Rngs(0))).params"
    ),
    ("rngs without dropout", "no-RngStream"): ("rngs = nnx.Rngs(params=0)\nrngs.dropout()"),
    ("nnx.checkpoint", "nnx-has-no-attribute"): ("nnx.lax_scan"),
    ("flax.optim", "flax-has-no-attribute"): ("from flax import optim"),
    ("TrainState write", "frozen-struct"): (
        "from flax.training.train_state import TrainState\n"
        's = TrainState.create(apply_fn=None, params={"w": jnp.ones(3)}, tx=optax.sgd(0.1))\n'
        "s.step = 3"
    ),
    ("unknown axis", "spec-unknown-axis"): (
        'mesh = jax.make_mesh((1,), ("data",))\nNamedSharding(mesh, P("batch"))'
    ),
    ("rank", "spec-rank"): (
        'mesh = jax.make_mesh((1,), ("data",))\n'
        'jax.device_put(jnp.ones(8), NamedSharding(mesh, P("data", None)))'
    ),
    ("twice", "spec-axis-twice"): (
        'P("data", "data")\n'
        'mesh = jax.make_mesh((1,), ("data",))\n'
        'NamedSharding(mesh, P("data", "data"))'
    ),
    ("no mesh", "mesh-in-context"): (
        'jax.jit(lambda x: lax.with_sharding_constraint(x, P("data")))(jnp.ones(8))'
    ),
    ("psum outside", "unbound-axis-name"): (
        'def loss(x):\n    return lax.psum(x, "data")\njax.jit(loss)(1.0)'
    ),
    ("scan in shard_map", "carry-varying"): (
        'mesh = jax.make_mesh((1,), ("data",), axis_types=(AxisType.Auto,))\n'
        "def f(x):\n"
        "    return lax.scan(lambda c, row: (c + row, None), jnp.zeros(()), x)[0][None]\n"
        'shard_map(f, mesh=mesh, in_specs=P("data"), out_specs=P("data"))(jnp.ones(16))'
    ),
    ("scan with explicit axis", "carry-sharding"): (
        'mesh = jax.make_mesh((1,), ("x",), axis_types=(AxisType.Explicit,))\n'
        "with jax.set_mesh(mesh):\n"
        '    a = jax.device_put(jnp.ones((3, 8)), NamedSharding(mesh, P(None, "x")))\n'
        "    lax.scan(lambda c, r: (c + r, None), jnp.zeros(8), a)"
    ),
    ("explicit add", "shardings-of-operands"): (
        'mesh = jax.make_mesh((1, 1), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)\n'
        "with jax.set_mesh(mesh):\n"
        '    a = jax.device_put(jnp.ones(8), P("x")); b = jax.device_put(jnp.ones(8), P("y"))\n'
        "    a + b"
    ),
    ("donate", "donated-array"): (
        "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nx = jnp.ones(8); f(x); print(x)"
    ),
    ("in_shardings", "shardings-tree"): (
        'mesh = jax.make_mesh((1,), ("i",))\n'
        's = NamedSharding(mesh, P("i"))\n'
        "jax.jit(lambda x, y: x + y, in_shardings=(s,))(jnp.ones(8), jnp.ones(8))"
    ),
    ("adamw update without params", "optimizer-needs-params"): (
        'params = {"w": jnp.ones(3)}\n'
        "tx = optax.adamw(1e-3)\n"
        "st = tx.init(params)\n"
        "tx.update(params, st)"
    ),
    ("adam without rate", "optimizer-arguments"): ("optax.adam()"),
    ("init not called", "optimizer-state"): (
        'params = {"w": jnp.ones(3)}\ntx = optax.adam(1e-3)\ntx.update(params, params)'
    ),
    ("params changed after init", "optimizer-structure"): (
        'params = {"w": jnp.ones(3)}\n'
        "tx = optax.adam(1e-3)\n"
        "st = tx.init(params)\n"
        'tx.update({"w": jnp.ones(3), "b": jnp.ones(2)}, st)'
    ),
    ("AdamState", "optax-has-no-attribute"): (
        "optax.inject_hyperparams(optax.adam)(learning_rate=0.1)\noptax.AdamState"
    ),
    ("integer labels with softmax_cross_entropy", "optax-labels"): (
        "optax.softmax_cross_entropy(jnp.ones((4, 10)), jnp.arange(4))"
    ),
    ("f-string in jit", "format-tracer"): (
        '@jax.jit\ndef f(x):\n    print(f"x={x:.3f}")\n    return x\nf(1.0)'
    ),
    ("dict key", "unhashable-array"): ("{jnp.float32(1): 2}"),
    ("if array", "truth-value"): ("if jnp.arange(3) > 1:\n    pass"),
    ("reshape", "reshape-size"): ("jnp.arange(10).reshape(3, 4)"),
    ("stack", "concatenate-shapes"): ("jnp.concatenate([jnp.ones((2, 3)), jnp.ones((2, 4))])"),
    ("indices", "too-many-indices"): ("jnp.ones((2, 3))[0, 0, 0]"),
    ("float index", "float-index"): ("jnp.arange(5)[2.0]"),
    ("zeros 2.0", "float-shape"): ("jnp.zeros(2.0)"),
    ("zeros(3, 4)", "shape-not-a-tuple"): ("jnp.zeros(3, 4)"),
    ("ragged", "ragged-list"): ("jnp.array([[1, 2], [3]])"),
    ("list minus array", "list-operand"): ("[1.0, 2.0, 3.0] - jnp.ones(3)"),
    ("einsum", "einsum-size"): ('jnp.einsum("ij,jk->ik", jnp.ones((2, 3)), jnp.ones((4, 5)))'),
    ("append", "no-such-attribute"): ("jnp.ones(3).append(3)"),
    ("grad of value", "not-callable"): ("jax.grad(jnp.sum(jnp.ones(3)))"),
    ("argnums", "grad-argnums"): ("jax.grad(lambda x: x, argnums=1)(1.0)"),
    ("aux", "grad-aux-pair"): ("jax.value_and_grad(lambda x: x ** 2, has_aux=True)(1.0)"),
    ("static name", "invalid-argnames"): ('jax.jit(lambda x, n: x, static_argnames="m")(1.0, 2)'),
    ("static under vmap", "traced-static"): (
        "f = jax.jit(lambda x, n: x * n, static_argnums=1)\njax.vmap(f)(jnp.ones(3), jnp.arange(3))"
    ),
    ("cond structure", "branch-structure"): ("lax.cond(True, lambda x: (x, x), lambda x: x, 1.0)"),
    ("cond values", "cond-callables"): ("lax.cond(True, 1.0, 2.0)"),
    ("cond pred vector", "cond-predicate"): (
        "lax.cond(jnp.array([True, False]), lambda: 1.0, lambda: 2.0)"
    ),
    ("while cond", "while-condition"): (
        "lax.while_loop(lambda x: x, lambda x: x - 1, jnp.ones(3))"
    ),
    ("scan sizes", "scan-sizes"): (
        "lax.scan(lambda c, x: (c, x), 0.0, (jnp.ones(3), jnp.ones(4)))"
    ),
    ("length", "scan-sizes"): ("lax.scan(lambda c, x: (c, x), 0.0, jnp.ones(3), length=4)"),
    ("custom_vjp", "custom-rule-missing"): (
        "@jax.custom_vjp\ndef f(x):\n    return x\njax.grad(f)(1.0)"
    ),
    ("bwd single", "custom-vjp-bwd"): (
        "@jax.custom_vjp\n"
        "def f(x, y):\n"
        "    return x * y\n"
        "f.defvjp(lambda x, y: (x * y, (x, y)), lambda r, g: g * r[0])\n"
        "jax.grad(f)(1.0, 2.0)"
    ),
    ("unflatten", "tree-unflatten"): (
        'leaves, tree = jax.tree.flatten({"a": 1, "b": 2})\njax.tree.unflatten(tree, leaves[:1])'
    ),
    ("mixed keys", "dict-keys"): ('jax.tree.leaves({1: 1.0, "a": 2.0})'),
    ("key plus 1", "key-arithmetic"): ("jax.random.key(0) + 1"),
    ("normal int", "random-dtype"): ("jax.random.normal(jax.random.key(0), (3,), int)"),
    ("seed str", "key-seed"): ("jax.random.key(jnp.arange(3))"),
    ("return str", "returned-not-array"): ('jax.jit(lambda x: "done")(1.0)'),
    ("mask", "mask-shape"): ("jnp.ones(3)[jnp.array([True, False])]"),
    ("not", "bits-of-float"): ("~jnp.ones(3)"),
    ("minus mask", "negated-mask"): ("-(jnp.ones(3) > 0)"),
    ("at set", "set-shape"): ("jnp.zeros(3).at[:2].set(jnp.ones(3))"),
    ("lax.add", "lax-dtypes"): ("lax.add(jnp.float32(1), jnp.int32(1))"),
    ("inv", "core-dimension"): ("jnp.linalg.inv(jnp.ones((2, 3)))"),
    ("max empty", "empty-reduction"): ("jnp.max(jnp.array([]))"),
    ("debug nans", "nan-found"): ("with jax.debug_nans(True):\n    jnp.log(jnp.array(-1.0))"),
    ("big int", "int-overflow"): ("jnp.int32(2 ** 40)"),
    ("heads", "heads-do-not-divide"): ("nnx.MultiHeadAttention(3, 4, rngs=nnx.Rngs(0))"),
    ("set_attributes", "no-such-mode"): (
        "nnx.Linear(2, 3, rngs=nnx.Rngs(0)).set_attributes(deterministic=True)"
    ),
    ("sequential", "Sequential-not-callable"): (
        'nnx.Sequential(nnx.Linear(2, 2, rngs=nnx.Rngs(0)), "relu")(jnp.ones((1, 2)))'
    ),
    ("metric", "metric-keyword"): ('nnx.metrics.Average("loss").update(value=1.0)'),
    ("opt.model", "Optimizer-has-no-model"): (
        "nnx.Optimizer(nnx.Linear(2, 3, rngs=nnx.Rngs(0)), optax.sgd(.1), wrt=nnx.Param).model"
    ),
    ("init only", "optimizer-methods"): ("optax.adam(1e-3).apply_gradients(3)"),
    ("Mesh", "mesh-devices"): ('Mesh(np.array(jax.devices()), ("a", "b"))'),
    ("switch between rates", "cond-callables"): (
        "def rate(stage, lr):\n    return lax.switch(stage, [lr, 0.1 * lr])\nrate(1, 0.1)"
    ),
    ("mean along no axis", "axis-out-of-bounds"): ("jnp.ones(4).mean(axis=1)"),
    ("argmax under jit", "axis-out-of-bounds"): (
        "jax.jit(lambda x: jnp.argmax(x, axis=-2))(jnp.ones(4))"
    ),
    ("array of a dict", "non-numeric-array"): ('jnp.asarray({"x": [1, 2], "y": [0, 1]})'),
    ("ref in a dict", "Ref-as-value"): (
        '@jax.jit\ndef make(n):\n    return {"count": jax.new_ref(n)}\nmake(jnp.zeros(3))'
    ),
    ("ref as carry", "Ref-as-value"): (
        "lax.scan(lambda c, x: (c, c[...]), jax.new_ref(jnp.zeros(3)), jnp.arange(3))"
    ),
    ("psum over no axis of the mesh", "unbound-axis-name"): (
        'mesh = jax.make_mesh((1,), ("data",), axis_types=(AxisType.Auto,))\n'
        'total = shard_map(lambda x: lax.psum(x, "batch"), mesh=mesh,\n'
        '                  in_specs=P("data"), out_specs=P())\n'
        "total(jnp.ones(2))"
    ),
    ("scan of one argument", "loop-function"): ("lax.scan(lambda c: (c, c), 0.0, jnp.arange(3.0))"),
    ("while of two arguments", "loop-function"): (
        "lax.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), (0, 1.0))"
    ),
    ("branch without operand", "loop-function"): (
        "lax.cond(True, lambda: 1.0, lambda: 2.0, jnp.ones(2))"
    ),
    ("at with parentheses", "in-place-assignment"): ("jnp.zeros(3).at(0).set(1)"),
    ("state None", "optimizer-state"): (
        'optax.sgd(0.1, momentum=0.9).update({"w": jnp.ones(3)}, None)'
    ),
    ("chain of a list", "optimizer-arguments"): (
        "optax.chain([optax.clip(1.0), optax.adam(1e-3)])"
    ),
    ("debug print without braces", "debug-print"): (
        'jax.jit(lambda x: jax.debug.print("loss", x))(1.0)'
    ),
    ("debug print with another name", "debug-print"): ('jax.debug.print("loss {loss}", 1.0)'),
    ("linear of one size", "layer-sizes"): ("nnx.Linear(64, rngs=nnx.Rngs(0))"),
    ("lstm without carry", "cell-carry"): (
        "cell = nnx.LSTMCell(3, 4, rngs=nnx.Rngs(0))\ncell(jnp.ones((1, 3)))"
    ),
    ("device by name", "unknown-backend"): ('jax.device_put(jnp.ones(3), "cpu")'),
    ("a mask of rows", "NonConcreteBooleanIndexError"): (
        "@jax.jit\ndef kept(x):\n    return x[x[:, 0] > 0].mean(axis=0)\nkept(jnp.ones((3, 2)))"
    ),
    ("lengths in eight bits", "fori-bounds"): (
        "lengths = jnp.array([3, 5], jnp.uint8)\n"
        "jax.lax.fori_loop(0, lengths.max(), lambda i, total: total + i, 0)"
    ),
    ("a model beside what holds it", "variable-passed-twice"): (
        "layer, x = nnx.Linear(3, 1, rngs=nnx.Rngs(0)), jnp.ones(3)\n"
        "optimizer = nnx.ModelAndOptimizer(layer, optax.adam(1e-3), wrt=nnx.Param)\n"
        "nnx.jit(lambda model, optimizer, x: model(x), graph=False)(layer, optimizer, x)"
    ),
    ("a state that comes back", "variable-passed-twice"): (
        "layer, x = nnx.Linear(3, 1, rngs=nnx.Rngs(0)), jnp.ones(3)\n"
        "nnx.jit(lambda model, x: (model(x), nnx.state(model)), graph=False)(layer, x)"
    ),
    ("a layer twice in a loss", "inconsistent-aliasing"): (
        "layer, x = nnx.Linear(3, 1, rngs=nnx.Rngs(0)), jnp.ones(3)\n"
        "def loss(student, teacher, x):\n"
        "    return ((student(x) - teacher(x)) ** 2).sum()\n"
        "nnx.grad(loss)(layer, layer, x)"
    ),
    ("a Variable replaced in a loop", "structure-changed-in-a-loop"): (
        "class Counter(nnx.Module):\n"
        "    def __init__(self):\n"
        "        self.n = nnx.Variable(jnp.array(0))\n"
        "def step(counter):\n"
        "    counter.n = nnx.Variable(counter.n[...] + 1)\n"
        "    return counter\n"
        "nnx.while_loop(lambda counter: counter.n[...] < 3, step, Counter())"
    ),
    ("a layer under another name", "state-of-another-structure"): (
        "layer, x = nnx.Linear(3, 1, rngs=nnx.Rngs(0)), jnp.ones(3)\n"
        "nnx.update(nnx.Dict(encoder=layer), nnx.state(nnx.Dict(dense=layer)))"
    ),
    ("a pmean that was written for pmap", "unbound-axis-name"): (
        "@jax.jit\n"
        "def step(w, x):\n"
        "    slope = jax.grad(lambda w: ((x * w) ** 2).mean())(w)\n"
        "    return w - 0.1 * jax.lax.pmean(slope, axis_name='devices')\n"
        "step(1.0, jnp.ones(3))"
    ),
    ("an ordered callback in batches", "callback-ordered-vmap"): (
        "from jax.experimental import io_callback\n"
        "report = lambda x: io_callback(print, None, x, ordered=True)\n"
        "jax.lax.map(report, jnp.ones(4), batch_size=2)"
    ),
    ("running statistics for an optimizer", "optimizer-structure"): (
        "layer, x = nnx.Linear(3, 1, rngs=nnx.Rngs(0)), jnp.ones(3)\n"
        "model = nnx.Sequential(layer, nnx.BatchNorm(1, rngs=nnx.Rngs(0)))\n"
        "optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=...)\n"
        "optimizer.update(model, nnx.grad(lambda model: model(jnp.ones((4, 3))).sum())(model))"
    ),
    ("a list as a static argument, in one line", "nonhashable-static"): (
        "jax.jit(lambda x, sizes: x.reshape(sizes), static_argnums=1)(jnp.ones(6), [2, 3])"
    ),
    ("a mask as a static argument, in one line", "nonhashable-static"): (
        "keep = np.array([True, False])\n"
        "jax.jit(lambda x, keep: x[keep], static_argnums=1)(jnp.ones(2), keep)"
    ),
    ("a scan of layers without their parameters", "linen-lifted"): (
        "from flax import linen as nn\n"
        "class Cell(nn.Module):\n"
        "    @nn.compact\n"
        "    def __call__(self, c, x):\n"
        "        return nn.Dense(4)(c), None\n"
        "nn.scan(Cell, length=3)().init(jax.random.key(0), jnp.ones((1, 4)), None)"
    ),
    ("heads of critics", "linen-lifted"): (
        "from flax import linen as nn\n"
        "nn.vmap(nn.Dense, in_axes=None, axis_size=2)(1).init(jax.random.key(0), jnp.ones((5, 3)))"
    ),
    ("a layer of Linen that has seen no input", "linen-in-nnx"): (
        "from flax import linen as nn\n"
        "layer = nnx.bridge.ToNNX(nn.Dense(4), rngs=nnx.Rngs(0))\n"
        "nnx.jit(lambda layer, x: layer(x))(layer, jnp.ones((1, 3)))"
    ),
    ("a layer of Linen in a module of NNX", "linen-apply"): (
        "from flax import linen as nn\n"
        "class Net(nnx.Module):\n"
        "    def __init__(self, rngs):\n"
        "        self.fc = nn.Dense(4)\n"
        "    def __call__(self, x):\n"
        "        return self.fc(x)\n"
        "Net(nnx.Rngs(0))(jnp.ones((1, 4)))"
    ),
    ("a method that a layer lacks", "linen-apply"): (
        "from flax import linen as nn\n"
        "layer, x = nn.Dense(2), jnp.ones((1, 4))\n"
        "layer.apply(layer.init(jax.random.key(0), x), x, method='encode')"
    ),
    ("batch statistics for a plain TrainState", "train-state"): (
        "from flax.training import train_state\n"
        "train_state.TrainState.create(\n"
        "    apply_fn=None, params={}, tx=optax.sgd(0.1), batch_stats={}\n"
        ")"
    ),
    ("batch statistics with the gradients", "train-state"): (
        "from flax.training.train_state import TrainState\n"
        "state = TrainState.create(apply_fn=None, params={'w': 1.0}, tx=optax.sgd(0.1))\n"
        "state.apply_gradients(grads={'w': 1.0}, batch_stats={})"
    ),
    ("the TrainState of NNX", "train-state"): (
        "nnx.TrainState.create(apply_fn=None, params=None, tx=optax.adam(1e-3))"
    ),
    ("pretrained parameters of another name", "linen-parameters"): (
        "from flax import linen as nn\n"
        "class Net(nn.Module):\n"
        "    @nn.compact\n"
        "    def __call__(self, x):\n"
        "        return nn.Dense(2, name='head')(nn.Dense(4, name='body')(x))\n"
        "params = Net().init(jax.random.key(0), jnp.ones((1, 4)))['params']\n"
        "wrong = {'body': params['body'], 'classifier': params['head']}\n"
        "Net().apply({'params': wrong}, jnp.ones((1, 4)))"
    ),
    ("parameters without a bias", "linen-parameters"): (
        "from flax import linen as nn\n"
        "params = {'kernel': jnp.ones((4, 2))}\n"
        "jax.jit(nn.Dense(2).apply)({'params': params}, jnp.ones((1, 4)))"
    ),
    ("what apply returns with mutable", "tuple-as-array"): (
        "from flax import linen as nn\n"
        "norm, x = nn.BatchNorm(use_running_average=False), jnp.ones((2, 4))\n"
        "variables = norm.init(jax.random.key(0), x)\n"
        "@jax.jit\n"
        "def loss(variables):\n"
        "    logits = norm.apply(variables, x, mutable=['batch_stats'])\n"
        "    return logits.mean()\n"
        "loss(variables)"
    ),
    ("what where returns", "tuple-as-array"): "jnp.where(jnp.arange(3) > 1).shape",
    ("parameters to unfreeze", "dict-attribute"): (
        "from flax import linen as nn\n"
        "nn.Dense(2).init(jax.random.key(0), jnp.ones((1, 4)))['params'].unfreeze()"
    ),
    ("a state of optax that was restored", "dict-attribute"): (
        "params = {'w': jnp.ones(3)}\n"
        "restored = [{'count': jnp.array(0), 'mu': params, 'nu': params}, None]\n"
        "jax.jit(optax.adam(0.1).update)(params, restored)"
    ),
    ("a list as default of a field", "mutable-default"): (
        "from flax import linen as nn\nclass Net(nn.Module):\n    sizes: list = [64, 64]"
    ),
    ("an array as default of a field", "mutable-default"): (
        "@flax.struct.dataclass\nclass State:\n    total: jax.Array = jnp.zeros(2)"
    ),
    ("the carry of older releases", "cell-carry"): (
        "from flax import linen as nn\nnn.LSTMCell.initialize_carry(jax.random.key(0), (2,), 8)"
    ),
    ("a parameter without an initializer", "linen-setup"): (
        "from flax import linen as nn\n"
        "class Net(nn.Module):\n"
        "    @nn.compact\n"
        "    def __call__(self, x):\n"
        "        return x @ self.param('w', (x.shape[-1], 3))\n"
        "Net().init(jax.random.key(0), jnp.ones((1, 4)))"
    ),
    ("a module with a dictionary as a static argument", "nonhashable-static"): (
        "from flax import linen as nn\n"
        "class Net(nn.Module):\n"
        "    cfg: dict\n"
        "    @nn.compact\n"
        "    def __call__(self, x):\n"
        "        return nn.Dense(self.cfg['n'])(x)\n"
        "net, x = Net({'n': 3}), jnp.ones((1, 4))\n"
        "variables = net.init(jax.random.key(0), x)\n"
        "jax.jit(lambda net, v, x: net.apply(v, x), static_argnums=0)(net, variables, x)"
    ),
    ("a target of more layers", "orbax-structure"): (
        "import pathlib, tempfile\n"
        "import orbax.checkpoint as ocp\n"
        "path = pathlib.Path(tempfile.mkdtemp(), 'c')\n"
        "checkpointer = ocp.StandardCheckpointer()\n"
        "def net(n):\n"
        "    return nnx.Dict({f'l{i}': nnx.Linear(2, 2, rngs=nnx.Rngs(0)) for i in range(n)})\n"
        "checkpointer.save(path, nnx.state(net(2)))\n"
        "checkpointer.wait_until_finished()\n"
        "checkpointer.restore(path, nnx.state(nnx.eval_shape(lambda: net(3))))"
    ),
    ("a filter that matches nothing", "orbax-leaf"): (
        "import pathlib, tempfile\n"
        "import orbax.checkpoint as ocp\n"
        "checkpointer = ocp.StandardCheckpointer()\n"
        "state = nnx.state(nnx.Linear(4, 2, rngs=nnx.Rngs(0)), nnx.BatchStat)\n"
        "checkpointer.save(pathlib.Path(tempfile.mkdtemp(), 'c'), state)"
    ),
    ("the folder of a manager", "orbax-path"): (
        "import tempfile\n"
        "import orbax.checkpoint as ocp\n"
        "manager = ocp.CheckpointManager(tempfile.mkdtemp())\n"
        "manager.save(3, args=ocp.args.StandardSave({'w': jnp.ones(2)}))\n"
        "manager.wait_until_finished()\n"
        "ocp.StandardCheckpointer().restore(manager.directory)"
    ),
    ("an item of another name", "orbax-unknown-key"): (
        "import tempfile\n"
        "import orbax.checkpoint as ocp\n"
        "tree, manager = {'w': jnp.ones(2)}, ocp.CheckpointManager(tempfile.mkdtemp())\n"
        "manager.save(0, args=ocp.args.Composite(state=ocp.args.StandardSave(tree)))\n"
        "manager.wait_until_finished()\n"
        "manager.restore(0, args=ocp.args.Composite(params=ocp.args.StandardRestore(tree)))"
    ),
    ("an item of another kind", "orbax-unknown-key"): (
        "import tempfile\n"
        "import orbax.checkpoint as ocp\n"
        "manager = ocp.CheckpointManager(tempfile.mkdtemp())\n"
        "manager.save(0, args=ocp.args.StandardSave({'w': jnp.ones(2)}))\n"
        "manager.wait_until_finished()\n"
        "manager.restore(0, args=ocp.args.JsonRestore())"
    ),
}

"""Programs with errors that are not JAX's: their own, Python's, NumPy's. None has a page."""

#: By what is wrong. Each is run as it stands, and under `jit`.
PROGRAMS = {
    "own text called in a module": (
        "class Net(nnx.Module):\n"
        "    def __init__(self):\n"
        "        self.act = 'relu'\n"
        "    def __call__(self, x):\n"
        "        return self.act(x)\n"
        "Net()(jnp.ones(2))"
    ),
    "own results unpacked": "def three():\n    return 1, 2, 3\na, b = three()",
    "own dictionary without a name": "params = {'w': jnp.ones(2)}\nparams['b']",
    "own attribute of a dictionary": "params = {'w': jnp.ones(2)}\nparams.w",
    "own dictionary that is written out": "{'w': jnp.ones(2)}.w",
    "own key of a dictionary that is written out": "{'w': jnp.ones(2)}['b']",
    "own list unpacked": "a, b = [jnp.ones(2)] * 3",
    "own list of a loop unpacked": "a, b = [jnp.ones(2) for _ in range(3)]",
    "own loop over a number": "steps = 3\nfor step in steps:\n    jnp.ones(step)",
    "own list of a loop over a number": "steps = 3\nsizes = [jnp.ones(step) for step in steps]",
    "own tuple unpacked": "a, b = jnp.ones(2), jnp.ones(2), jnp.ones(2)",
    "own pairs unpacked": "a, b = zip(*[(jnp.ones(2), 1, 2)])",
    "dictionaries sorted": "sorted([{'w': jnp.ones(2)}, {'w': jnp.ones(2)}])",
    "results sorted": "results = [{'w': jnp.ones(2)}, {'w': jnp.ones(2)}]\nsorted(results)",
    "the least of dictionaries": "min([{'w': jnp.ones(2)}, {'w': jnp.ones(2)}])",
    "own State as JSON": "class State:\n    pass\nimport json\njson.dumps(State())",
    "own rngs of a class": (
        "class Net:\n    def __init__(self, *, rngs):\n        self.rngs = rngs\nNet()"
    ),
    "own step": "class Optimizer:\n    step = 3\nOptimizer().step()",
    "own list called": "layers = [jnp.ones(2)]\nlayers(0)",
    "own argnums": "def grad(f, argnums):\n    return range(argnums)\ngrad(abs, argnums='w')",
    "own endless sum": ("def total(n):\n    return n + total(n - 1)\njnp.where(True, total(3), 0)"),
    "own list too short": "losses = [jnp.ones(2)]\nlosses[3]",
    "own dictionary times a number": "settings = {'rate': 0.1}\n2.0 * settings",
    "own JSON": "import json\njson.dumps({1, 2})",
    "own function in brackets": "def f(x):\n    return x\nf[0]",
    "format dict": ('config = {"lr": 0.1}\nprint(f"{config:.3f}")'),
    "format set": ('print("{:>10}".format({1, 2}))'),
    "format spec !r": ('"{:!r}".format(3)'),
    "None.params": ("model = None\nmodel.params"),
    "own object params": ("class Config:\n    pass\nConfig().params"),
    "own class init": ("class Sampler:\n    pass\nSampler().init(3)"),
    "own class apply": ("class Rule:\n    pass\nRule().apply(3)"),
    "own scan keyword": ('def scan(folder):\n    return folder\nscan("x", recursive=True)'),
    "own precond keyword": ("def precond(x):\n    return x\nprecond(1, rtol=2)"),
    "own cond keyword": ("def cond(x):\n    return x\ncond(1, y=2)"),
    "own cond nested": (
        "def solve():\n    def cond(x):\n        return x\n    return cond(1, tol=2)\nsolve()"
    ),
    "own while_loop": ("def while_loop(x):\n    return x\nwhile_loop(x=1, body=2)"),
    "triangle mesh": (
        "class TriangleMesh:\n"
        "    def vertex(self, name):\n"
        '        raise ValueError(f"vertex {name} is not found in mesh")\n'
        'TriangleMesh().vertex("v3")'
    ),
    "own mesh axis": ('raise ValueError("Mesh requires the ndim of its first argument to be 2")'),
    "np read only": ("a = np.broadcast_to(np.ones(3), (2, 3))\na[0, 0] = 1"),
    "np setflags read only": ("a = np.ones(3); a.setflags(write=False)\na[0] = 2.0"),
    "own size called": ("size = 3\nsize()"),
    "own shape called": ("shape = (2, 3)\nshape(0)"),
    "own grad keyword": ("def grad(f):\n    return f\ngrad(abs, argnum=0)"),
    "own dim keyword": ("def mean(x):\n    return x\nmean(3, dim=0)"),
    "own parameters": ("class Net:\n    pass\nNet().parameters()"),
    "np sum dim": ("np.ones(3).sum(dim=0)"),
    "np size called": ("np.ones(3).size()"),
    "own switch": ("def switch(i, branches):\n    return list(branches)[i]\nswitch(0, abs)"),
    "np no at": ("np.ones(3).at[0]"),
    "np read only in place": ("a = np.broadcast_to(np.ones(3), (2, 3))\na += 1"),
    "np zeros of text": ('np.zeros("3")'),
    "np reshape": ("np.ones(6).reshape(4, 2)"),
    "np broadcasting": ("np.ones(0) + np.ones(2)"),
    "own unflatten": ("[].unflatten([1])"),
    "own window": (
        "def dynamic_slice(x, start):\n    return x[len(start) :]\ndynamic_slice([1], 0)"
    ),
    "np ragged": ("np.array([[1, 2], [3]])"),
    "np sequence": ("a = np.zeros(3); a[0] = [1, 2]"),
    "np truth": ("if np.ones(3) > 0:\n    pass"),
    "np len unsized": ("len(np.float32(3).reshape(()))"),
    "np iterate 0d": ("list(np.array(3.0))"),
    "np empty max": ("np.array([]).max()"),
    "np axis error": ("np.sum(np.ones(3), axis=2)"),
    "np squeeze": ("np.squeeze(np.ones((2, 3)), axis=0)"),
    "np einsum": ('np.einsum("ij,jk->ik", np.ones((2, 3)), np.ones((4, 5)))'),
    "np scalar conversion": ("float(np.ones(3))"),
    "np item": ("np.ones(3).item()"),
    "np matmul": ("np.ones((2, 3)) @ np.ones((2, 3))"),
    "np split": ("np.split(np.ones(7), 3)"),
    "np concat zero-d": ("np.concatenate([1.0, 2.0])"),
    "np bool index": ("np.ones(3)[np.array([True, False])]"),
    "np too many indices": ("np.ones(3)[0, 1]"),
    "np negative power": ("np.array([2]) ** -1"),
    "np neg bool": ("-np.array([True])"),
    "np inv": ("np.linalg.inv(np.ones((2, 3)))"),
    "np unknown dtype": ('np.zeros(3, dtype="foo")'),
    "np shape as dtype": ("np.zeros(3, 4)"),
    "np overflow": ("np.int8(300)"),
    "list float index": ("[1, 2][0.5]"),
    "recursion": ("def f(x):\n    return f(x)\nf(1)"),
    "argmax of empty": ("max([])"),
    "own unpack": ("a, b = (1, 2, 3)"),
    "own unpack function": ("def split(key):\n    return key, key, key\nkey, sub = split(1)"),
    "np unpack": ("a, b = np.ones(3)"),
    "dict unpack items": ('for name, value in {"abc": 1}:\n    pass'),
    "own frozen dataclass": (
        "@dataclasses.dataclass(frozen=True)\nclass C:\n    lr: float\nc = C(0.1); c.lr = 0.2"
    ),
    "own namedtuple write": (
        'import collections\nT = collections.namedtuple("T", "a b")\nT(1, 2).a = 3'
    ),
    "own rngs missing": ("def sample(x, *, rngs):\n    return x\nsample(3)"),
    "own adam": ("class adam:\n    def __init__(self, learning_rate):\n        pass\nadam(lr=1)"),
    "own module attr": ('import types\nm = types.ModuleType("jaxtools")\nm.tree_map'),
    "own not callable": ("f = 3\nf(2)"),
    "unhashable": ("{[1]: 2}"),
    "none plus": ("None + 1"),
    "list plus tuple": ("[1] + (2,)"),
    "list times float": ("[1] * 2.0"),
    "own StopIteration": ("next(iter([]))"),
    "own broadcasting text": (
        'raise ValueError("Incompatible shapes for broadcasting: (3,) and (4,)")'
    ),
    "own text axis": (
        "def f(axis):\n"
        '    raise ValueError(f"axis {axis} is out of bounds for array of dimension 1")\n'
        "f(3)"
    ),
    "assertion": ('assert 1 == 2, "loss diverged"'),
    "import": ("import pandas_like_library"),
    "from import": ("from math import tree_map"),
    "leaked own": ('raise Exception("Leaked trace of coffee")'),
    "own runtime": ('raise RuntimeError("Array has been deleted from the basket")'),
    "own backend": ('raise RuntimeError("Unknown backend mongodb")'),
    "cannot interpret": ("range(2.5)"),
    "hash of slice shapes": ("hash({})"),
    "getattr str": ('"abc".reshape(3)'),
    "np no attribute": ("np.ones(3).block_until_ready()"),
    "own property": (
        "class A:\n"
        "    @property\n"
        "    def value(self):\n"
        "        raise AttributeError(\"object has no attribute 'init'\")\n"
        "A().value"
    ),
    "own lambda args": ("f = lambda x: x\nf(1, 2)"),
    "own tree.map function fails": ('jax.tree.map(lambda x: f"{x:d}", {"a": 1.5})'),
    "own function in vmap raises": (
        'def f(x):\n    raise ValueError("vertex is not found in mesh")\njax.vmap(f)(jnp.ones(3))'
    ),
    "own KeyError in scan": (
        "def body(c, x):\n"
        '    return c + params["w"], None\n'
        "params = {}\n"
        "lax.scan(body, 0.0, jnp.ones(3))"
    ),
    "own module call": (
        "class Net(nnx.Module):\n"
        "    def __call__(self, x):\n"
        '        return x[{}]["a"] if False else {}["x"]\n'
        "Net()(3)"
    ),
    "own format in nnx init": (
        'class Net(nnx.Module):\n    def __init__(self):\n        self.name = f"{ {} :d}"\nNet()'
    ),
    "own error in grad": (
        "def loss(w):\n"
        "    raise TypeError(\"scan() got an unexpected keyword argument 'foo'\")\n"
        "jax.grad(loss)(1.0)"
    ),
    "own frozen in jit": (
        "@dataclasses.dataclass(frozen=True)\n"
        "class C:\n"
        "    lr: float\n"
        "def f(x):\n"
        "    c = C(0.1)\n"
        "    c.lr = 3\n"
        "jax.jit(f)(1.0)"
    ),
    "np read only in callback": (
        "def host(x):\n    a = np.broadcast_to(np.ones(3), (2, 3)); a[0] = 1\n    return x\nhost(3)"
    ),
    "own scan in jit": ("def scan(x):\n    return x\njax.jit(lambda x: scan(x, axis=0))(1.0)"),
    "own object params in jit": (
        "class Config:\n    pass\njax.jit(lambda x: Config().params)(1.0)"
    ),
    "own unpack in jit": ("def f(x):\n    a, b = (1, 2, 3)\n    return x\njax.jit(f)(1.0)"),
    "own np error in tree.map": ('jax.tree.map(lambda x: np.array([[1, 2], [3]]), {"a": 1})'),
    "np truth in vmap": (
        "def f(x):\n    if np.ones(3) > 0:\n        return x\njax.vmap(f)(jnp.ones(3))"
    ),
    "own optimiser argument in optax schedule": (
        "def schedule(step):\n"
        '    return {}["x"]\n'
        'tx = optax.sgd(schedule); p = {"w": jnp.ones(2)}\n'
        "tx.update(p, tx.init(p))"
    ),
    "own error with orbax words": (
        'raise KeyError("Unknown key \\"default\\" in CompositeCheckpointHandler.")'
    ),
    "index of a shape": ("def g(x):\n    return x.shape[3]\njax.jit(g)(jnp.ones(2))"),
    "index inside a call": ("axes = (0, 1)\njnp.sum(jnp.ones(3), axis=axes[2])"),
    "own call in a body": (
        "def cell(c, x, w):\n"
        "    return c\n"
        "def body(c, x):\n"
        "    return cell(c, x), c\n"
        "lax.scan(body, 0.0, jnp.arange(3.0))"
    ),
    "own assertion beside a collective": (
        "def f(x):\n"
        "    assert x.ndim == 2\n"
        '    return lax.psum(x, "i")\n'
        'jax.vmap(f, axis_name="i")(jnp.ones(3))'
    ),
    "own length of None in a schedule": (
        "steps = None\n"
        "def schedule(count):\n"
        "    return 0.1 / len(steps)\n"
        'tx = optax.sgd(schedule); p = {"w": jnp.ones(2)}\n'
        "tx.update(p, tx.init(p))"
    ),
    "own text of a ref": ('raise ValueError("traced returned a mutable array reference")'),
    "own key in a debug print": ('losses = {}\njax.debug.print("loss {}", losses["train"])'),
    "own cell": (
        "class Cell:\n    def __call__(self, carry, inputs):\n        return carry\nCell()(1)"
    ),
    "np index of a row": ("np.ones(3)[5]"),
    "np dtype dict": ('np.array([1, 2], dtype={"x": [1, 2]})'),
    "own keyword of PyTorch": ("def mean(x):\n    return x\nmean(1, dim=0)"),
    "own class that is its decorator": ("def node(nodetype, name):\n    return name\nnode(name=1)"),
    "own function of a function": ("def reader():\n    return {}.setdefault\nreader()([2], 3)"),
    "own keyword under jit": (
        "def power(x, n):\n    return x**n\njax.jit(power)(jnp.ones(2), exponent=2)"
    ),
    "own argument under grad": (
        "def loss(w, x):\n    return (w * x).sum()\njax.grad(loss)(jnp.ones(2))"
    ),
    "own argument of a function that another made": (
        "def make():\n"
        "    def loss(w, x):\n"
        "        return (w * x).sum()\n"
        "    return loss\n"
        "jax.grad(make())(jnp.ones(2))"
    ),
    "own argument of a method": (
        "class Task:\n"
        "    def loss(self, w, x):\n"
        "        return (w * x).sum()\n"
        "jax.grad(Task().loss)(jnp.ones(2))"
    ),
    "own keyword of an NNX module": (
        "class Model(nnx.Module):\n"
        "    def __init__(self, hidden, rngs):\n"
        "        self.layer = nnx.Linear(hidden, 2, rngs=rngs)\n"
        "Model(hiden=3, rngs=nnx.Rngs(0))"
    ),
    "own field of a Linen module": (
        "from flax import linen\n"
        "class Net(linen.Module):\n"
        "    width: int = 3\n"
        "    def __call__(self, x):\n"
        "        return x\n"
        "Net(with_bias=True)"
    ),
    "own schedule": (
        "def step_fn(count, total):\n"
        "    return 0.1\n"
        'tx = optax.sgd(step_fn); p = {"w": jnp.ones(2)}\n'
        "tx.update(p, tx.init(p))"
    ),
}

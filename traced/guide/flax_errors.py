"""The errors of Flax NNX."""

from traced.guide.symptom import Symptom

TRACES = (
    Symptom(
        "TraceContextError",
        "Cannot mutate RngCount",
        "random-draw-from-outside",
        "a random draw writes the count of its stream",
    ),
    Symptom(
        "TraceContextError",
        "from a different trace level",
        "TraceContextError",
        "inside a trace only what belongs to it can be written",
    ),
    Symptom(
        "TraceContextError",
        "from different trace level",
        "TraceContextError",
        "inside a trace only what belongs to it can be written",
    ),
    Symptom(
        "ValueError",
        "does not support bound methods",
        "bound-method",
        "an NNX transform sees the modules among its arguments",
    ),
    Symptom(
        "ValueError",
        "Cannot extract graph node from different trace level",
        "returned-from-outside",
        "what a trace returns was passed in or made there",
    ),
    Symptom(
        "ValueError",
        "Cannot return captured Variable",
        "returned-from-outside",
        "what a trace returns was passed in or made there",
    ),
)

ALIASES = (
    Symptom(
        "ValueError",
        "does not support Variable aliasing",
        "variable-passed-twice",
        "in tree mode a Variable goes in once, and does not come out as a result",
    ),
    Symptom(
        "ValueError",
        "does not support shared references",
        "shared-reference",
        "in tree mode every Variable has one place",
    ),
    Symptom(
        "ValueError",
        "Inconsistent aliasing detected",
        "inconsistent-aliasing",
        "one object has one set of axes",
    ),
)

AXES = (
    Symptom(
        "ValueError",
        "objects when `graph=False` or `graph_updates=False`",
        "StateAxes-in-tree-mode",
        "axes by filter belong to graph mode",
    ),
    Symptom(
        "ValueError",
        "No axis found for path",
        "no-axis-found",
        "each Variable gets an axis from a filter that matches it",
    ),
    Symptom(
        "ValueError",
        ".value, got axis spec None but output was batched",
        "Variable-written-in-vmap",
        "a Variable that all runs share has one value",
    ),
    Symptom(
        "ValueError",
        ".value of type",
        "module-mapped-by-vmap",
        "vmap slices the Variables of a module like any array",
    ),
)

ATTRIBUTES = (
    Symptom(
        "ValueError",
        "Found data on value of type",
        "modules-in-a-list",
        "a plain container is static, and static values hold no data",
    ),
    Symptom(
        "ValueError",
        "Found unexpected data on value of type",
        "modules-in-a-list",
        "a plain container is static, and static values hold no data",
    ),
    Symptom(
        "ValueError",
        "Cannot assign data value of type",
        "static-attribute-gets-data",
        "the first value decides whether an attribute is data or static",
    ),
    Symptom(
        "ValueError",
        "Found data in value of type",
        "array-in-nnx-static",
        "a static value is hashed and compared, and an array can do neither",
    ),
    Symptom(
        "ValueError",
        "Found unexpected tags",
        "nested-nnx-data",
        "nnx.data and nnx.static mark a whole attribute",
    ),
    Symptom(
        "ValueError",
        "instance that has pytree=False",
        "pytree-false-in-tree-mode",
        "tree mode works on pytrees",
    ),
    Symptom(
        "TypeError",
        "does not support __slots__",
        "slots",
        "a module keeps its attributes in a dictionary",
    ),
    Symptom(
        "AttributeError",
        "object has no attribute 'apply'",
        "no-init-and-apply",
        "an NNX module owns its parameters",
    ),
    Symptom(
        "AttributeError",
        "object has no attribute 'init'",
        "no-init-and-apply",
        "an NNX module owns its parameters",
    ),
    Symptom(
        "AttributeError",
        "Module flax.nnx has no attribute",
        "nnx-has-no-attribute",
        "NNX wraps some of the transforms of JAX",
    ),
    Symptom(
        "ValueError",
        "Could not find at least one instance of the following attributes",
        "no-such-mode",
        "a flag is set in the layers that have it",
    ),
    Symptom(
        "ValueError",
        "Unused keys found in nnx.view",
        "no-such-mode",
        "a flag is set in the layers that have it",
    ),
    Symptom(
        "ValueError",
        "to be a Variable, got",
        "sow-outside-capture",
        "sow hands its values to nnx.capture",
    ),
    Symptom(
        "DeprecationWarning",
        "outside of 'nnx.capture()' is deprecated",
        "sow-outside-capture",
        "sow hands its values to nnx.capture",
    ),
)

STATES = (
    Symptom(
        "ValueError",
        "Incorrect number of leaves",
        "incorrect-number-of-leaves",
        "merge takes as many Variables as the graphdef describes",
    ),
    Symptom(
        "TypeError",
        "Expected a GraphDef or GraphState object",
        "not-a-graphdef",
        "merge takes the graphdef first, then the states",
    ),
    Symptom(
        "ValueError",
        "Expected a subgraph for",
        "state-of-another-structure",
        "a state fits a model of the same structure",
    ),
    Symptom(
        "ValueError",
        "Non-exhaustive filters",
        "non-exhaustive-filters",
        "split puts every Variable into one of the states",
    ),
    Symptom(
        "ValueError",
        "can only be used as the last filters",
        "ellipsis-not-last",
        "filters are tried in order, and `...` matches everything",
    ),
    Symptom(
        "TypeError",
        "passed to set.__format__",
        "invalid-filter",
        "a filter is a type, a string, `...`, a function, or a list or tuple of these",
    ),
    Symptom(
        "TypeError",
        "passed to dict.__format__",
        "invalid-filter",
        "a filter is a type, a string, `...`, a function, or a list or tuple of these",
    ),
    Symptom(
        "ValueError",
        "Invalid format specifier '!r'",
        "invalid-filter",
        "a filter is a type, a string, `...`, a function, or a list or tuple of these",
    ),
    Symptom(
        "ValueError",
        "Expected at least one filter",
        "pop-without-filter",
        "pop removes what its filters match",
    ),
    Symptom(
        "ValueError",
        "key in pure_dict not available in state",
        "pure-dict-key",
        "each path of the dictionary exists in the state",
    ),
    Symptom(
        "AttributeError",
        "No attribute '",
        "no-attribute-in-State",
        "a state has the names of the model's attributes, and no methods",
    ),
    Symptom(
        "ValueError",
        "hash an object of type <class 'flax.nnx.graphlib.GraphDef'>",
        "unhashable-graphdef",
        "a static argument is hashed, with every static attribute of the model",
    ),
    Symptom(
        "TypeError",
        "'ShapeDtypeStruct' object is not subscriptable",
        "abstract-model-called",
        "an abstract model has shapes and dtypes, and no values",
    ),
)

OPTIMIZERS = (
    Symptom(
        "TypeError",
        "Missing required argument `wrt`",
        "Optimizer-without-wrt",
        "an optimizer is told which Variables it updates",
    ),
    Symptom(
        "TypeError",
        "Missing required argument `grads`",
        "update-without-grads",
        "update takes the model and the gradients",
    ),
    Symptom(
        "AttributeError",
        "does not have attribute 'model'",
        "Optimizer-has-no-model",
        "an optimizer does not hold the model",
    ),
)

RANDOM_NUMBERS = (
    Symptom(
        "AttributeError",
        "No RngStream named",
        "no-RngStream",
        "a stream exists if it was named, or if there is a default",
    ),
    Symptom(
        "KeyError",
        "No RngStream named",
        "no-RngStream",
        "a stream exists if it was named, or if there is a default",
    ),
    Symptom(
        "TypeError",
        "missing 1 required keyword-only argument: 'rngs'",
        "missing-rngs",
        "a layer draws its parameters when it is constructed",
    ),
    Symptom(
        "AttributeError",
        "object has no attribute 'params'",
        "key-in-place-of-Rngs",
        "a layer draws from streams, and a key has none",
    ),
    Symptom(
        "TypeError",
        "rngs must be a Rngs, RngStream or",
        "key-in-place-of-Rngs",
        "a layer draws from streams, and a key has none",
    ),
    Symptom(
        "ValueError",
        "Invalid rng value",
        "invalid-rng-value",
        "a stream starts from a key or an integer",
    ),
    Symptom(
        "ValueError",
        "fold_in accepts a single key",
        "Rngs-split-and-not-mapped",
        "one draw takes one key",
    ),
)

LAYERS = (
    Symptom(
        "ValueError",
        "No `deterministic` argument was provided",
        "mode-not-set",
        "a layer with two modes is told which one",
    ),
    Symptom(
        "ValueError",
        "No `use_running_average` argument was provided",
        "mode-not-set",
        "a layer with two modes is told which one",
    ),
    Symptom(
        "ValueError",
        "No `decode` argument was provided",
        "decode-not-set",
        "attention is told whether it sees a sequence or one token",
    ),
    Symptom(
        "ValueError",
        "Autoregressive cache not initialized",
        "cache-not-initialized",
        "a cache has a fixed shape, which the caller knows",
    ),
    Symptom(
        "ValueError",
        "but no `rngs` argument was provided",
        "Dropout-without-rngs",
        "dropout in training draws a mask in each call",
    ),
    Symptom(
        "ValueError",
        "Incompatible input dimension",
        "attention-input-size",
        "the last axis of the input has the size that the layer was made for",
    ),
    Symptom(
        "ValueError",
        "conv_general_dilated lhs feature dimension size",
        "Conv-input-size",
        "the channels are the last axis",
    ),
    Symptom(
        "ValueError",
        "must be divisible by 'num_heads' heads",
        "heads-do-not-divide",
        "all parts get the same number of features",
    ),
    Symptom(
        "ValueError",
        "does not divide the number of channels",
        "heads-do-not-divide",
        "all parts get the same number of features",
    ),
    Symptom(
        "ValueError",
        "Input type must be an integer or unsigned integer",
        "Embed-needs-integers",
        "a row of a table has an integer number",
    ),
    Symptom(
        "TypeError",
        "Sequence[",
        "Sequential-not-callable",
        "a sequence of layers is a sequence of functions",
    ),
    Symptom(
        "TypeError",
        "Expected keyword argument",
        "metric-keyword",
        "a metric finds its values by name",
    ),
    Symptom(
        "ValueError",
        "expected logits.ndim==labels.ndim",
        "accuracy-labels",
        "a label is the number of a class",
    ),
)

LOOPS = (
    Symptom(
        "ValueError",
        "Carry references must be the same between iterations",
        "carry-is-another-object",
        "the carry keeps its Variables, and their values change",
    ),
    Symptom(
        "ValueError",
        "Variable identity must be preserved across iterations",
        "carry-is-another-object",
        "the carry keeps its Variables, and their values change",
    ),
    Symptom(
        "TypeError",
        "._graphdef is a <class 'flax.nnx.graphlib.GraphDef'>",
        "structure-changed-in-a-branch",
        "all branches leave the same structure",
    ),
    Symptom(
        "TypeError",
        "is a <class 'flax.nnx.statelib.State'> with",
        "structure-changed-in-scan",
        "a loop keeps the structure of its modules",
    ),
    Symptom(
        "ValueError",
        "nnx.while_loop requires body function's input and output",
        "while-loop-changes-structure",
        "a loop keeps the structure of its modules",
    ),
    Symptom(
        "ValueError",
        "the other must also have Carry",
        "Carry-in-scan-axes",
        "Carry marks one whole argument and one whole result",
    ),
    Symptom(
        "ValueError",
        "it cannot be nested",
        "Carry-in-scan-axes",
        "Carry marks one whole argument and one whole result",
    ),
    Symptom(
        "ValueError",
        "Found multiple Carry definitions",
        "Carry-in-scan-axes",
        "Carry marks one whole argument and one whole result",
    ),
    Symptom(
        "ValueError",
        "Cannot broadcast output state",
        "broadcast-output",
        "the results of the steps are stacked along an axis",
    ),
    Symptom(
        "TypeError",
        "is a <class 'flax.nnx.variablelib.",
        "Variable-as-carry",
        "a Variable is a container, and arithmetic on it gives an array",
    ),
    # The trees of an update, after the message of a loop that quotes the same.
    Symptom(
        "ValueError",
        "subtree of type\n    <class 'flax.nnx.statelib.State'>",
        "gradients-of-another-structure",
        "gradients and the Variables that `wrt` chooses have one structure",
    ),
    Symptom(
        "ValueError",
        "subtree of different type\n    <class 'flax.nnx.statelib.State'>",
        "gradients-of-another-structure",
        "gradients and the Variables that `wrt` chooses have one structure",
    ),
)

VARIABLES = (
    Symptom(
        "NotImplementedError",
        "In-place operations are no longer supported for Variable",
        "in-place-on-Variable",
        "`[...]` names the content of a Variable",
    ),
    Symptom(
        "DeprecationWarning",
        "'.value' access is now deprecated",
        "value-of-Variable",
        "`[...]` names the content of a Variable",
    ),
    Symptom(
        "DeprecationWarning",
        "'.value' setter is now deprecated",
        "value-of-Variable",
        "`[...]` names the content of a Variable",
    ),
    Symptom(
        "AttributeError",
        "To set Variable metadata use",
        "metadata-of-Variable",
        "metadata is written by a method",
    ),
    Symptom(
        "ValueError",
        "Triggering __jax_array__() during abstractification",
        "Variable-in-lax",
        "jax.lax takes arrays, and a Variable is a container",
    ),
    Symptom(
        "ValueError",
        "Cannot pass a Ref directly into Variable constructor",
        "Ref-in-Variable",
        "a Variable makes its own box for an array",
    ),
    Symptom(
        "ValueError",
        "Cannot copy from incompatible container",
        "copy-from-another-type",
        "the type of a Variable says what it is for",
    ),
    Symptom(
        "ValueError",
        "An auto mesh context or metadata is required",
        "variable-needs-a-mesh",
        "a sharding names axes of a mesh",
    ),
)

BOUND_MODULES = (
    Symptom(
        "ValueError",
        "added to cached_partial was mutated",
        "cached-partial-mutated",
        "cached_partial walks through the structure once",
    ),
    Symptom(
        "ValueError",
        "tmp_static_cache should be None, no context consumed it",
        "cached-partial-in-tree-mode",
        "tree mode has no graph to remember",
    ),
    Symptom(
        "ValueError",
        "`graph_updates` not supported by `jit_partial`",
        "jit-partial-in-graph-mode",
        "jit_partial carries out values, and no change of structure",
    ),
    Symptom(
        "ValueError",
        "Found Variable in non-partial arguments",
        "jit-partial-arguments",
        "jit_partial binds all modules beforehand",
    ),
)

SYMPTOMS = (
    *TRACES,
    *ALIASES,
    *AXES,
    *ATTRIBUTES,
    *STATES,
    *OPTIMIZERS,
    *RANDOM_NUMBERS,
    *LAYERS,
    *LOOPS,
    *VARIABLES,
    *BOUND_MODULES,
)

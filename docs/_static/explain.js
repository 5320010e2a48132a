// Decides, as `explain()` does, which page of the field guide an error has: by the same rows, in their
// order, of a traceback that was pasted. `SYMPTOMS` is written from the rows when the site is built.

const LIBRARIES = Object.entries(SYMPTOMS.libraries);
const STAND_IN = /^(?:\w+\.)*(?:UnfilteredStackTrace|JaxStackTraceBeforeTransformation|SimplifiedTraceback)\b/m;
const REMOVED = /-{10,}\n(?:For simplicity, JAX has|The stack trace below excludes JAX)/;
// `File "x.py", line 3, in f` of Python, `File x.py:3, in f(x)` and `Cell In[3], line 3` of Jupyter.
const FRAME = /^\s*(?:File "(.+?)", line \d+|File (.+?):\d+(?:, in |$)|(Cell In\s?\[\d+\]), line \d+|(\S+\.py):\d+: in )/;
const HEAD = /^((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*)(?:: ?|$)/;
const BARE = /^((?:[A-Za-z_]\w*\.)*)([A-Z]\w*(?:Error|Exception|Warning|NotFound|Iteration))(?:: ?|$)/;
const CLASSES_OF_JAX = new RegExp(SYMPTOMS.classes_of_jax);

// A line without the lists and dictionaries that it writes out and works on: they are Python's.
const WRITTEN_OUT = /(^|[=*\s[]|\b(?:sorted|min|max|zip)\()(?:\{[^{}]*\}|\[[^[\]]*\])/g;
const withoutContainers = (line) => line.trim().replace(WRITTEN_OUT, "$1").replace(WRITTEN_OUT, "$1");

// The errors of a text, the last one first, and then what each was raised from.
function readErrors(text) {
  const lines = text.replace(/\r/g, "").replace(/\u001b\[[\d;]*m/g, "").split("\n");
  const pytest = lines.filter((line) => /^E {3}/.test(line));
  const source = pytest.length ? lines.map((line) => line.replace(/^E {3}/, "")) : unindent(lines);
  const blocks = [[]];
  let cause = true;
  for (const line of source) {
    if (line.trim() === SYMPTOMS.cause) blocks.unshift([]);
    // What was handled meanwhile is another story.
    else if (line.trim() === SYMPTOMS.context) blocks.splice(0, blocks.length, []);
    else blocks[0].push(line);
  }
  const read = blocks.filter((block) => !STAND_IN.test(block.join("\n").trim())).map(readError);
  const named = read.filter((error) => error.message || error.name);
  const removed = REMOVED.test(source.join("\n"));
  return named.map((error) => ({ ...error, removed }));
}

function unindent(lines) {
  const full = lines.filter((line) => line.trim());
  const least = Math.min(...full.map((line) => line.match(/^[ \t>|]*/)[0].length));
  return lines.map((line) => line.slice(least < Infinity ? least : 0));
}

function readError(lines) {
  const start = lines.findIndex((line) => FRAME.test(line));
  const head = start < 0 ? BARE : HEAD;
  // A message may hold a traceback of its own, so the first line that is no frame's is the error's.
  let first = lines.findIndex((line, at) => at > start && head.test(line) && !FRAME.test(line) && !/^Traceback\b/.test(line));
  if (first < 0) first = lines.findIndex((line) => BARE.test(line));
  const frames = readFrames(first < 0 ? lines : lines.slice(0, first));
  if (first < 0) return { name: "", module: "", message: lines.join("\n").trim(), frames };
  const [whole, module, name] = lines[first].match(HEAD);
  const rest = [lines[first].slice(whole.length), ...lines.slice(first + 1)].join("\n");
  return { name, module, message: rest.split(/\n-{10,}\nFor simplicity, JAX/)[0].trim(), frames };
}

function readFrames(lines) {
  const heads = lines.flatMap((line, at) => (FRAME.test(line) ? [at] : []));
  return heads.map((at, i) => {
    const own = lines.slice(at, heads[i + 1]);
    const arrow = own.find((line) => /^-+>/.test(line));
    const source = arrow ? arrow.replace(/^-+>\s*\d+/, "") : own.slice(1).filter((line) => /^\s/.test(line)).join("\n");
    return { file: lines[at].match(FRAME).slice(1).find(Boolean), head: lines[at], source, text: own.join("\n") };
  });
}

function libraryOf(file) {
  const found = file.replace(/\\/g, "/").match(/(?:site|dist)-packages\/(\w+)/);
  const root = found ? found[1] : "";
  return (LIBRARIES.find(([, packages]) => packages.includes(root)) || [])[0] || (isForeign(file) ? "other" : "");
}

const isForeign = (file) => /(?:site|dist)-packages|\/lib\/python3|\\Lib\\|<frozen|<string>/.test(file);

// The libraries whose names stand in a text.
const namesIn = (text) => SYMPTOMS.names.flatMap(([name, word]) => (text.match(word) ? [name] : []));

// Where an error was raised, or whose objects it is about: what is sure, and what is only named.
function findLibraries(error) {
  const sure = new Set();
  const root = error.module.split(".")[0];
  const kind = SYMPTOMS.kinds[error.name];
  for (const [name, packages] of LIBRARIES) if (packages.includes(root)) sure.add(name);
  if (!root && kind && kind.library) sure.add(kind.library);
  if (isOfPlaceholder(error)) sure.add("jax.tree");
  const own = error.frames.findLastIndex((frame) => !isForeign(frame.file));
  const last = own < 0 ? "" : error.frames[own].source;
  // What the reader's own code raises is of no library, whatever code called it.
  const raised = own >= 0 && own === error.frames.length - 1 && /^\s*(?:raise|assert)\b/.test(last);
  if (raised && !sure.has("jax.tree")) return null;
  const inner = error.frames.slice(own + 1);
  for (const frame of inner) sure.add(libraryOf(frame.file));
  const isInside = (library, place) => inner.some((frame) => libraryOf(frame.file).match(library) && place.test(frame.head));
  for (const [kind, library, place] of SYMPTOMS.places) if (isInside(library, new RegExp(place))) sure.add(kind);
  if (/^'(?:int|float|bool)' /.test(error.message)) isInside("flax", /\bvariablelib\.py\b/) && sure.add("flax.variable");
  const imported = error.message.match(/^No module named '(\w+)|from '(\w+)|^module '(\w+)/);
  if (imported) {
    const named = imported.slice(1).find(Boolean);
    for (const [name, packages] of LIBRARIES) if (packages.includes(named)) sure.add(name);
  }
  for (const object of error.message.matchAll(/'(\w+)'(?= object| and |$)|^(\w+)\.\w+\(\) (?:missing|got)/g)) {
    sure.add(SYMPTOMS.classes[object[1] || object[2]] || "");
  }
  if (CLASSES_OF_JAX.test(error.message)) sure.add("jax");
  if (error.removed) sure.add("jax");
  if (sure.size && error.message.includes("'flax.")) sure.add("flax");
  for (const [kind, call] of Object.entries(SYMPTOMS.calls)) if (new RegExp(call).test(last)) sure.add(kind);
  const sources = error.frames.map((frame) => frame.source.trim());
  const again = sources.filter((source, at) => sources.indexOf(source) < at);
  if (error.name === "RecursionError" && again.some((source) => source.match(SYMPTOMS.branches))) sure.add("jax.recursion");
  if (!inner.length) namesIn(withoutContainers(last)).forEach((each) => sure.add(each));
  sure.delete("");
  if (LIBRARIES.some(([name]) => sure.has(name))) sure.add("any").add(inner[0] ? "inside" : "line");
  if (isRefusedByReaders(error, last)) {
    return { sure: new Set([...sure].filter((name) => name.includes("."))), named: new Set() };
  }
  // Python itself compares the entries that it sorts, and works on the containers that a line writes out.
  const isSorted = /\b(?:sorted|min|max)\(/.test(last) && / not supported between /.test(error.message);
  const isWritten = !inner.length && withoutContainers(last) !== last.trim();
  if (!sure.size && (isSorted || isWritten)) return { sure, named: new Set() };
  const words = error.frames.map((frame) => frame.text).join("\n") + error.message;
  const named = new Set(namesIn(words));
  if (named.size) named.add("any").add("tree");
  return { sure, named };
}

// Whether a function of the reader's does not take its arguments: one of no library's classes, or one
// that the last line calls without a module before it.
function isRefusedByReaders(error, last) {
  const told = error.message.match(/^(\w+)(\.\w+)?\(\) (?:missing|takes|got (?:an unexpected|multiple|some)) /);
  if (error.name !== "TypeError" || !told || !last) return false;
  const [, name, method] = told;
  if (method) return !(name in SYMPTOMS.classes);
  if (SYMPTOMS.transforms.includes(name)) return false;
  return !new RegExp(`\\.${name.replace(/^_/, "")}\\(`).test(last);
}

// Whether a class raised because JAX builds it with something else than arrays in it.
function isOfPlaceholder(error) {
  if (/^jax/.test(error.module)) return false;
  return error.frames.some((frame, at) => {
    if (isForeign(frame.file)) return false;
    const name = (frame.head.match(/\bin ([\w.<>]+)(?:\(|$)/) || [])[1] || "";
    if (/unflatten/.test(name)) return true;
    if (!at || !/__init__$|__post_init__$/.test(name)) return false;
    const caller = error.frames[at - 1];
    if (isForeign(caller.file)) return libraryOf(caller.file) === "jax";
    return error.removed && /\b(?:jax|tree|vmap|jit|grad|scan|lax)\b/.test(caller.source);
  });
}

const patterns = new Map();
function pattern(message) {
  if (!patterns.has(message)) {
    const parts = message.split(" … ").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    patterns.set(message, new RegExp(parts.join("[\\s\\S]*")));
  }
  return patterns.get(message);
}

// The rows that an error shows, the likeliest first.
function findRows(error) {
  const libraries = findLibraries(error);
  if (!libraries) return [];
  const { sure, named } = libraries;
  const names = new Set([error.name, ...((SYMPTOMS.kinds[error.name] || {}).bases || [])]);
  const whole = error.frames.length > 0;
  return SYMPTOMS.rows
    .flatMap(([library, kind, message, page, rule], at) => {
      if (error.name && !names.has(kind)) return [];
      // Without the name of a class, the message has to be one: that of the row, or the page's title.
      const isTitled = !error.name && message.length < 8;
      const told = isTitled ? SYMPTOMS.titles[page] : message;
      if (!pattern(told).test(error.message)) return [];
      const tier = sure.has(library) ? 0 : named.has(library.split(".")[0]) ? 1 : 2;
      if (tier && (library.includes(".") || !told)) return [];
      // By the whole traceback, none of the libraries has a part in it.
      return [{ page, rule, kind, message, doubtful: tier === 2 && whole, rank: tier * 1e6 + at }];
    })
    .sort((a, b) => a.rank - b.rank);
}

// What is known of a text: the error, and the rows of its pages, the likeliest first. Where no page fits,
// `doubtful` are those with such a message, although the traceback shows none of the libraries.
function explain(text) {
  const errors = readErrors(text);
  const doubtful = [];
  for (const error of errors) {
    const rows = findRows(error);
    const sure = onePerPage(rows.filter((row) => !row.doubtful));
    if (sure.length) return { error, pages: sure, doubtful };
    doubtful.push(...onePerPage(rows));
  }
  return { error: errors[0] || null, pages: [], doubtful };
}

const onePerPage = (rows) => rows.filter((row, at) => rows.findIndex((each) => each.page === row.page) === at);

// The page: what is pasted is read as one types.
function setUp() {
  const box = document.getElementById("traceback");
  const output = document.getElementById("explained");
  const root = document.documentElement.dataset.content_root;
  const link = ({ page, rule }) => [
    make("a", { href: `${root}docs/guide/errors/${page}.html`, textContent: SYMPTOMS.titles[page] }),
    make("br"), rule,
  ];
  const list = (rows) => make("ul", {}, ...rows.slice(0, 3).map((row) => make("li", {}, ...link(row))));
  const words = (error) => `${error.name} ${error.message.split("\n")[0]}`.trim().slice(0, 120);

  function* show(text) {
    const { error, pages, doubtful } = explain(text);
    if (!error) return;
    const own = error.frames.findLast((frame) => !isForeign(frame.file) && frame.source.trim());
    yield make("p", {}, make("strong", { textContent: error.name || "The message" }),
      `: ${error.message.split("\n")[0].slice(0, 300)}`);
    if (own) yield make("pre", { textContent: own.source.trim().split("\n")[0] });
    if (pages.length) {
      yield make("p", { className: "page" }, ...link(pages[0]));
      if (pages.length > 1) yield make("p", { textContent: "Others whose messages fit:" });
      if (pages.length > 1) yield list(pages.slice(1));
      return;
    }
    yield make("p", { className: "unknown" }, doubtful.length
      ? "The traceback shows no part of JAX or Flax. Where one is at work, it may be this:"
      : "This error is not in the field guide.");
    if (doubtful.length) yield list(doubtful);
    const search = `${root}search.html?q=${encodeURIComponent(words(error))}`;
    yield make("p", {}, make("a", { href: search, textContent: "Search the course for it" }));
  }

  const update = () => output.replaceChildren(...(box.value.trim() ? show(box.value) : []));
  box.addEventListener("input", update);
  // What a browser has put back, once the other scripts are there.
  addEventListener("load", update);
}

if (typeof document !== "undefined") setUp();

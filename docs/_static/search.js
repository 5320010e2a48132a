// Finds pages as one types, with MiniSearch, in `COURSE`, which is written when the site is built.

const FIELDS = ["title", "page", "words", "text"];
const BOOST = { title: 3, page: 2.5, words: 3.5, text: 1 };
// A lesson stands before the field guide, and that before what is only looked up.
const KINDS = { lesson: 1.5, why: 1.5, word: 1.2, guide: 1, page: 0.8 };
// More for a word or an explanation that was asked for by its title, and where a title has the one name asked for.
const [WHOLE, NAMED] = [6, 3];
const STOP = new Set(COURSE.stop);
// A page on NNX has less where the question has no word of it.
const APART = 0.5;
const [OTHERS, SHARE] = [3, 0.1];
const LABELS = { lesson: "Lesson", guide: "Field guide", page: "Page", why: "Why", word: "Glossary" };

// One word for `compiles`, `compiled`, `compiling` and `compilation`; fuzzy search does the rest.
const stem = (word) => word.length > 4 ? word.replace(/(?:ations?|ing|ed|es|s|e)$/, "") : word.replace(/s$/, "");

function wordsOf(text) {
  // `TracerBoolConversionError` is found by its parts, too.
  const parts = text.replace(/([a-z])([A-Z])/g, "$1 $2");
  return [...new Set(`${text} ${parts}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [])];
}

const meaningOf = (text) => wordsOf(text).filter((word) => !STOP.has(word));

function makeIndex(course) {
  const index = new MiniSearch({
    fields: FIELDS,
    storeFields: ["where", "title", "page", "kind", "shown"],
    tokenize: wordsOf,
    processTerm: (term) => (STOP.has(term) ? null : stem(term)),
  });
  index.addAll(course.rows.map(([where, title, page, kind, words, text, shown], id) =>
    ({ id, where, title, page, kind, words, text, shown })));
  return index;
}

let readersWords = null;

// The words of ours that a word of readers leads to, which may be misspelt.
function ourWords(word) {
  if (STOP.has(word)) return "";
  if (!readersWords) {
    readersWords = new MiniSearch({ idField: "word", fields: ["word"], tokenize: (word) => [word] });
    readersWords.addAll(Object.keys(COURSE.words).map((word) => ({ word })));
  }
  const [found] = readersWords.search(word, { fuzzy: word.length > 4 ? 0.25 : 0 });
  return found ? COURSE.words[found.id] : "";
}

// The pages that a question leads to, each with its best section, the best page first.
function findPages(index, question) {
  const asked = meaningOf(question);
  if (!asked.length) return [];
  const theirs = question.toLowerCase().match(/[\w-]+/g) || [];
  const ours = theirs.flatMap((word) => wordsOf(ourWords(word.replaceAll("-", "_"))));
  const options = {
    boost: BOOST,
    combineWith: "OR",
    prefix: (term) => term.length > 3,
    fuzzy: (term) => (term.length > 4 ? 0.2 : 0),
    boostDocument: (_id, _term, stored) => KINDS[stored.kind],
  };
  const added = ours.filter((word) => !asked.includes(word)).join(" ");
  const found = new Map();
  for (const [words, weight] of [[asked.join(" "), 1], [added, 0.2]]) {
    for (const hit of words ? index.search(words, options) : []) {
      const before = found.get(hit.id) || { ...hit, score: 0 };
      found.set(hit.id, { ...before, score: before.score + weight * hit.score });
    }
  }
  const stems = new Set(asked.map(stem));
  const apart = !asked.some((word) => COURSE.nnx.includes(word.replace(/s$/, "")));
  const [name] = question.trim().toLowerCase().match(/^\w+(?:[._]\w+)+$/) || [];
  for (const hit of found.values()) {
    const title = meaningOf(hit.title);
    if (hit.kind[0] === "w" && stems.size <= title.length && title.every((word) => stems.has(stem(word)))) hit.score *= WHOLE;
    if (apart && hit.page.includes("NNX")) hit.score *= APART;
    if (name && hit.title.toLowerCase().includes(name)) hit.score *= NAMED;
  }
  const pages = new Map();
  for (const hit of [...found.values()].sort((a, b) => b.score - a.score)) {
    const page = hit.where.split("#")[0];
    const best = pages.get(page);
    // What stands in several sections is a subject of the page.
    if (best && best.others++ < OTHERS) best.score += SHARE * hit.score;
    else if (!best) pages.set(page, { ...hit, others: 0 });
  }
  return [...pages.values()].sort((a, b) => b.score - a.score);
}

// The page: the question is in its address, too, so that a search can be passed on.
function setUpSearch() {
  const index = makeIndex(COURSE);
  const [box, list, said] = ["question", "found", "said"].map((id) => document.getElementById(id));
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const item = (hit) => make("li", {},
    make("a", { href: hit.where, textContent: hit.title }),
    make("p", { className: "from", textContent: hit.kind === "page" || hit.page === hit.title ? LABELS[hit.kind] : hit.page }),
    make("p", { textContent: hit.shown }));

  function update() {
    const hits = findPages(index, box.value).slice(0, 20);
    list.replaceChildren(...hits.map(item));
    const asked = box.value.trim();
    said.textContent = asked && !hits.length ? "Nothing was found." : "";
    history.replaceState(null, "", asked ? `?q=${encodeURIComponent(asked)}` : location.pathname);
  }

  box.value = new URLSearchParams(location.search).get("q") || "";
  box.addEventListener("input", update);
  if (box.value) update();
}

if (typeof document !== "undefined" && document.getElementById("question")) setUpSearch();

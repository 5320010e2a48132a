// Keeps in this browser what a reader does on these pages; nothing is sent anywhere.
// By page and by what it asks: an answer; and under the page of the review, when a question comes back.
const Kept = {
  key: "traced-answers",
  lasting: true,
  pages: {},
  // Another tab may have kept something meanwhile, so it is read before each change.
  read() {
    try {
      const text = localStorage.getItem(Kept.key);
      const found = text && JSON.parse(text);
      if (found instanceof Object) Kept.pages = found;
      else if (!text) Kept.pages = {};
    } catch (error) {
      // Damaged, or denied.
      Kept.lasting = error instanceof SyntaxError;
    }
    return Kept.pages;
  },
  change(page, change) {
    Kept.remember("");
    const mine = (Kept.read()[page] ??= {});
    change(mine);
    Kept.write();
  },
  forget(page) {
    const pages = Kept.read();
    delete pages[page];
    delete pages[Schedule.page]?.[page];
    Kept.write();
  },
  forgetAll() {
    Kept.pages = {};
    Kept.write();
  },
  write() {
    try {
      localStorage.setItem(Kept.key, JSON.stringify(Kept.pages));
    } catch {
      Kept.lasting = false;
    }
    document.dispatchEvent(new Event("kept"));
  },
  // How many of a lesson's predictions were made, of those that it asks for now.
  made: (page) => (ASKED[page] || []).filter((id) => id in Object(Kept.pages[page])).length,
  // What was erased is kept for the visit, until something else is answered.
  remember(text) {
    try {
      if (text) sessionStorage.setItem(Kept.key, text);
      else if (text === "") sessionStorage.removeItem(Kept.key);
      return sessionStorage.getItem(Kept.key);
    } catch {
      return null;
    }
  },
  // The buttons that erase, where there is something to erase, and that take it back.
  eraser(label, forget) {
    const button = (textContent, act) => make("button", { type: "button", textContent, onclick: () => {
      act();
      location.reload();
    } });
    const erased = Kept.remember();
    return [
      ...label ? [button(label, () => {
        Kept.remember(JSON.stringify(Kept.read()));
        forget();
      })] : [],
      ...erased ? ["Erased. ", button("Undo", () => {
        Object.assign(Kept.read(), JSON.parse(erased));
        Kept.remember("");
        Kept.write();
      })] : [],
    ];
  },
};

const make = (tag, facts, ...children) => {
  const element = Object.assign(document.createElement(tag), facts);
  element.append(...children);
  return element;
};

// Spaces a question over days: answered right, it waits longer each time; missed, it begins anew.
const Schedule = {
  page: "docs/review",
  days: [1, 3, 7, 21],
  today() {
    const now = new Date();
    return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / 86400000;
  },
  // What is kept of a question: which of the spans it waits, the day when it is due, how often it was missed.
  of: (page, id) => Kept.pages[Schedule.page]?.[page]?.[id],
  note(page, id, right) {
    Kept.change(Schedule.page, (pages) => {
      const [span, , missed] = pages[page]?.[id] || [0, 0, 0];
      const next = right ? Math.min(span + 1, Schedule.days.length - 1) : 0;
      (pages[page] ??= {})[id] = [next, Schedule.today() + Schedule.days[next], missed + !right];
    });
  },
};

Kept.read();

// Asks again, a handful at a time, what the reader has predicted: once it is due, and what was missed first.
{
  const HANDFUL = 5;
  const place = document.querySelector(".review");
  const lessons = place ? [...place.querySelectorAll("section")] : [];
  const questions = lessons.flatMap((lesson) => [...lesson.querySelectorAll(".question")].map((fold) => {
    const { page, form } = fold.querySelector(".ask").dataset;
    return { fold, page, id: JSON.parse(form).id };
  }));
  const facts = (each) => Schedule.of(each.page, each.id) || [0, 0, 0];
  const due = (each) => facts(each)[1];
  const first = (a, b) => !!facts(b)[2] - !!facts(a)[2] || due(a) - due(b);

  // Of a lesson, what stands before the last prediction that was made there has been read.
  const read = () => questions.filter((each, at) => Schedule.of(each.page, each.id) ||
    questions.slice(at).some((later) => later.page === each.page && later.id in Object(Kept.pages[each.page])));
  const ready = () => read().filter((each) => due(each) <= Schedule.today()).sort(first);

  const day = (number) => new Date(number * 86400000)
    .toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" });
  const said = make("p", { role: "status" });
  const list = make("ol", { className: "due" });
  const score = make("p", { className: "score", role: "status" });

  const tell = (answered, right, asked) => {
    score.textContent = answered ? `Answered ${answered} of ${asked}, ${right} of them right. ` : "";
    const left = ready().length;
    if (answered === asked && left) {
      score.append(make("button", { type: "button", textContent: `Ask again: ${left} more due`, onclick: () => ask(ready(), true) }));
    }
  };

  const ask = (from, focused) => {
    const chosen = from.slice(0, HANDFUL);
    let [answered, right] = [0, 0];
    list.replaceChildren(...chosen.map((each) => {
      const fold = each.fold.cloneNode(true);
      fold.open = true;
      offer(fold.querySelector(".ask"), undefined, (id, answer, isRight) => {
        Schedule.note(each.page, id, isRight);
        answered += 1;
        right += isRight;
        if (Kept.lasting) fold.append(make("p", { className: "back", textContent: `It comes back on ${day(due(each))}.` }));
        tell(answered, right, chosen.length);
      });
      return make("li", {}, fold);
    }));
    globalThis.MathJax?.typesetPromise?.([list]);
    tell(0, 0, chosen.length);
    if (focused) list.querySelector("summary").focus();
  };

  const begin = () => {
    const now = ready();
    const next = read().map(due).sort((a, b) => a - b)[0];
    said.textContent = !Kept.lasting ? "This browser keeps nothing for these pages, so it is not known what you have read. Choose a lesson: what you answer counts until you leave this page."
      : now.length ? `${now.length} ${now.length === 1 ? "question is" : "questions are"} due today.`
      : next ? `Nothing is due today. The next question comes back on ${day(next)}.`
      : "No prediction was made on these pages yet. Those that you make in a lesson come back here; or choose a lesson that you have read elsewhere.";
    ask(now, false);
  };

  if (place) {
    for (const lesson of lessons) lesson.remove();
    const names = make("select", { name: "lesson" }, ...lessons.map((lesson, at) => make("option", { value: at, textContent: lesson.dataset.lessonName })));
    const choice = make("form", { className: "choice", onsubmit: (event) => {
      event.preventDefault();
      ask(questions.filter((each) => lessons[names.value].contains(each.fold)).sort(first), true);
    } }, make("label", {}, "Ask from a lesson: ", names), make("button", { type: "submit", textContent: "Ask" }));
    place.prepend(said, list, score, choice, make("p", { className: "score" }, ...Kept.eraser("Erase all answers", Kept.forgetAll)));
    begin();
  }
}

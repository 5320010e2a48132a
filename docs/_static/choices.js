// Asks which of a few answers to an exercise passes its check, before the findings are opened.
{
  const passes = (answer) => /: passed/.test(answer.querySelector("strong").textContent);
  const letter = (answer) => String.fromCharCode(65 + [...answer.parentElement.children].indexOf(answer));

  for (const which of document.querySelectorAll(".which")) {
    const { page, name } = which.dataset;
    const id = `passes:${name}`;
    const answers = [...which.querySelectorAll("li")];
    const told = make("p", { role: "status" });
    which.querySelector("ol").before(told);
    const commit = (answer) => {
      const right = passes(answer);
      which.dataset.right = right ? "yes" : "no";
      told.textContent = `Chosen: ${letter(answer)}, ${right ? "right" : `not so. ${letter(answers.find(passes))} passes`}.`;
      for (const each of answers) {
        const button = each.querySelector(".pass");
        button.disabled = true;
        button.ariaPressed = each === answer;
        each.querySelector("details").open = true;
      }
      return right;
    };
    for (const answer of answers) {
      answer.querySelector("details").before(make("button", { type: "button", className: "pass", textContent: `${letter(answer)} passes`, ariaPressed: false, onclick: () => {
        const right = commit(answer);
        Kept.change(page, (mine) => { mine[id] = [answer.dataset.answer, right]; });
        answer.querySelector("summary").focus();
      } }));
    }
    const before = answers.find((each) => each.dataset.answer === Kept.pages[page]?.[id]?.[0]);
    if (before) commit(before);
  }

  // On the map of lessons and in the sidebar: after `progress.js`, which takes away what stood there.
  const show = () => {
    const passed = (page) => Object.entries(Kept.pages[page] || {}).filter(([id, kept]) => id.startsWith("passes:") && kept[1]).length;
    for (const card of document.querySelectorAll("[data-lesson]")) {
      const given = passed(card.dataset.lesson);
      if (given) card.append(make("p", { className: "made", textContent: `${given} of ${card.dataset.exercises.split(" ").length} passed` }));
    }
    for (const link of document.querySelectorAll(".bd-links a")) {
      const given = passed(/notebooks\/\w+(?=(\.html)?$)/.exec(new URL(link.href).pathname)?.[0]);
      if (given) link.append(make("span", { className: "made" }, ` ●${given}`, make("span", { className: "visually-hidden", textContent: " passed" })));
    }
  };
  document.addEventListener("kept", show);
  document.dispatchEvent(new Event("kept"));
}

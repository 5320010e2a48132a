// Asks for a lesson's predictions, and says what the run said.
{
  // As the course compares: brackets, quotes and the point of a whole number make no difference.
  const plain = (answer) => answer.replace(/[()[\]"' ]|an(?= error$)/g, "").split(",")
    .filter(Boolean).map((part) => part.replace(/^(-?\d+)\.0*$/, "$1"));
  const asks = [...document.querySelectorAll(".ask")].filter((ask) => !ask.closest(".review"));
  const page = asks.length ? asks[0].dataset.page : "";
  const score = make("p", { className: "score" });

  const tell = () => {
    const count = (word, all) => {
      const given = all.filter((each) => each.dataset.right);
      const right = given.filter((each) => each.dataset.right === "yes").length;
      return all.length ? `${word} ${given.length} of ${all.length}, ${right} of them right. ` : "";
    };
    const choices = [...document.querySelectorAll(".which")];
    score.textContent = count("Predicted", asks) + count("Chosen", choices);
    const given = [...asks, ...choices].some((each) => each.dataset.right);
    score.append(...Kept.eraser(given && "Erase", () => Kept.forget(page)));
  };

  // Puts the form into an ask, above the fold of its answer; whoever asked hears what was answered.
  const offer = (ask, before, heard) => {
    const form = JSON.parse(ask.dataset.form);
    const fold = [...ask.parentElement.querySelectorAll("details")].find((each) => /^No prediction yet/.test(each.textContent.trim()));
    if (!fold) return;
    // What follows the fold explains the answer, up to the rule.
    let next = ask.closest(".cell")?.nextElementSibling;
    for (; next?.matches("p:not(:has(> strong:only-child)), ul, ol, .pst-scrollable-table-container"); next = next.nextElementSibling) {
      const later = next;
      later.hidden = "until-found";
      fold.addEventListener("toggle", () => { later.hidden = false; });
    }
    const commit = (answer) => {
      const said = plain(fold.querySelector("strong").textContent);
      const parts = plain(answer);
      if (form.kind === "some") { said.sort(); parts.sort(); }
      const right = said.join() === parts.join();
      ask.dataset.right = right ? "yes" : "no";
      fold.querySelector("summary").textContent = `Predicted: ${answer}, ${right ? "right" : "not so"}.`;
      fold.open = true;
      fields.disabled = true;
      for (const each of fields.querySelectorAll('[type="button"]')) each.ariaPressed = each.textContent === answer;
      return right;
    };
    const choose = (answer) => {
      heard(form.id, answer, commit(answer));
      fold.querySelector("summary").focus();
    };
    const fields = make("fieldset", { ariaLabel: `Prediction: ${form.question}` }, make("legend", { textContent: "Prediction" }));
    const inputs = [];
    if (form.kind === "choose") {
      fields.append(...form.options.map((option) => make("button", { type: "button", textContent: option, onclick: () => choose(option) })));
    } else {
      fields.append(make("p", { textContent: form.asked }));
      const names = form.kind === "some" ? form.options : form.kind === "each" ? form.labels : ["answer"];
      for (const name of names) {
        const input = form.kind === "some" ? make("input", { type: "checkbox", value: name })
          : form.options.length ? make("select", { required: true }, make("option", { value: "", textContent: "…" }), ...form.options.map((option) => make("option", { textContent: option })))
          : form.kind === "write" ? make("input", { required: true, autocomplete: "off", size: 24 })
          : make("input", { required: true, autocomplete: "off", type: "number", step: "any" });
        input.onchange = () => inputs[0].setCustomValidity("");
        inputs.push(input);
        fields.append(make("label", {}, input.type === "checkbox" ? "" : `${name} `, input, input.type === "checkbox" ? ` ${name}` : ""));
      }
      fields.append(make("button", { type: "submit", textContent: "Predict" }));
    }
    ask.append(make("form", { onsubmit: (event) => {
      event.preventDefault();
      const given = inputs.filter((each) => form.kind !== "some" || each.checked);
      if (given.length) choose(given.map((each) => each.type === "number" ? +each.value : each.value).join(", "));
      else if (inputs.length) {
        inputs[0].setCustomValidity("Tick at least one.");
        inputs[0].reportValidity();
      }
    } }, fields));
    if (before !== undefined) commit(before);
  };

  for (const ask of asks) {
    offer(ask, Kept.pages[page]?.[JSON.parse(ask.dataset.form).id], (id, answer, right) => {
      Kept.change(page, (mine) => { mine[id] = answer; });
      Schedule.note(page, id, right);
    });
  }
  globalThis.offer = offer;
  if (asks.length) {
    asks.at(-1).closest("article").append(score);
    tell();
    document.addEventListener("kept", tell);
  }
}

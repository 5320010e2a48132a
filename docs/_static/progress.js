// Shows on the map of lessons and in the sidebar how many predictions of each lesson were made.
{
  const show = () => {
    for (const old of document.querySelectorAll(".made")) old.remove();
    for (const card of document.querySelectorAll("[data-lesson]")) {
      const [page, given] = [card.dataset.lesson, Kept.made(card.dataset.lesson)];
      if (given) card.append(make("p", { className: "made", textContent: `${given} of ${ASKED[page].length} predicted` }));
    }
    for (const link of document.querySelectorAll(".bd-links a")) {
      // The page that is open is linked as `#`.
      const page = /notebooks\/\w+(?=(\.html)?$)/.exec(new URL(link.href).pathname)?.[0];
      const given = Kept.made(page);
      if (given) {
        const unsaid = make("span", { className: "visually-hidden", textContent: " predicted" });
        link.append(make("span", { className: "made" }, ` ${given}/${ASKED[page].length}`, unsaid));
      }
    }
  };
  show();
  document.addEventListener("kept", show);
  const maps = document.querySelectorAll(".map");
  if (maps.length) {
    const kept = Object.keys(Kept.pages).length;
    [...maps].at(-1).after(make("p", { className: "score" }, ...Kept.eraser(kept && "Erase all answers", Kept.forgetAll)));
  }
}

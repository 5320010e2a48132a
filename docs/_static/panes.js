// Draws, in a picture of linked panes, from the line that is pointed at, tapped or has the focus,
// connectors to what belongs to it in the panes beside. Without this script the lines light up alone.
const SVG = "http://www.w3.org/2000/svg";
// Connectors of one picture.
const MOST = 80;

function connect(picture) {
  const drawing = picture.appendChild(document.createElementNS(SVG, "svg"));
  drawing.setAttribute("aria-hidden", "true");
  drawing.style.cssText = "position:absolute;inset:0;width:100%;height:100%;pointer-events:none";

  const words = (row, name) => (row.getAttribute(name) || "").split(" ").filter(Boolean);

  // The rows of a pane that are lit, and neither folded nor scrolled out of it.
  function lit(pane, labels) {
    const room = pane.getBoundingClientRect();
    return [...pane.querySelectorAll("[data-at]")].flatMap((row) => {
      if (![...words(row, "data-at"), ...words(row, "data-in")].some((each) => labels.has(each))) return [];
      const box = row.getBoundingClientRect();
      const y = (box.top + box.bottom) / 2;
      return row.checkVisibility() && y > room.top && y < room.bottom ? [{ y, colour: getComputedStyle(row).borderLeftColor }] : [];
    });
  }

  function draw(row) {
    drawing.replaceChildren();
    if (!row) return;
    const labels = new Set(words(row, "data-at"));
    const frame = picture.getBoundingClientRect();
    const panes = [...picture.querySelectorAll("[data-pane]")].filter((pane) => pane.offsetWidth);
    panes.slice(1).forEach((right, i) => {
      const from = panes[i].getBoundingClientRect();
      const to = right.getBoundingClientRect();
      // It stands below.
      if (to.left < from.right) return;
      for (const a of lit(panes[i], labels)) {
        for (const b of lit(right, labels)) {
          if (drawing.childElementCount === MOST) return;
          const [x1, x2] = [from.right - frame.left, to.left - frame.left];
          const [y1, y2] = [a.y - frame.top, b.y - frame.top];
          const middle = (x1 + x2) / 2;
          const path = drawing.appendChild(document.createElementNS(SVG, "path"));
          path.setAttribute("d", `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`);
          path.setAttribute("style", `fill:none;stroke:${b.colour};stroke-width:2`);
        }
      }
    });
  }

  let pointed = null;
  const redraw = () => {
    const focused = picture.contains(document.activeElement) && document.activeElement.closest("[data-at]");
    draw(pointed || focused);
  };
  picture.addEventListener("mouseover", (event) => { pointed = event.target.closest("[data-at]"); redraw(); });
  picture.addEventListener("mouseleave", () => { pointed = null; redraw(); });
  for (const event of ["focusin", "focusout", "toggle"]) picture.addEventListener(event, () => requestAnimationFrame(redraw), true);
  picture.addEventListener("scroll", redraw, true);
  addEventListener("resize", redraw);
}

const connectAll = () => document.querySelectorAll(".linked").forEach(connect);
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", connectAll);
else connectAll();

// Narrows the index of the field guide to the titles that have every word that is typed.
const box = document.getElementById("narrow");
const said = document.getElementById("narrowed");

function narrow() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let left = 0;
  for (const section of document.querySelectorAll("article section section")) {
    const items = [...section.querySelectorAll("li")];
    const subject = section.querySelector("h2").textContent.toLowerCase();
    for (const item of items) {
      const text = `${subject} ${item.textContent.toLowerCase()} ${item.querySelector("a").getAttribute("href").toLowerCase()}`;
      item.hidden = !words.every((word) => text.includes(word));
      left += !item.hidden;
    }
    section.hidden = items.length > 0 && items.every((item) => item.hidden);
  }
  said.textContent = words.length ? `${left} pages` : "";
}

if (box) box.addEventListener("input", narrow);

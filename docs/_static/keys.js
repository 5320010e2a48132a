// Ctrl+K, or Cmd+K, goes to the search field, and to the page that searches where there is none in sight.
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
  event.preventDefault();
  const fields = [...document.querySelectorAll("#question, .search-field input")];
  const isInSight = (each) => each.checkVisibility({ visibilityProperty: true }) && each.getBoundingClientRect().right > 0;
  const field = fields.find(isInSight);
  if (field) field.select();
  else document.querySelector(".search-link").click();
});

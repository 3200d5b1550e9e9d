// The first page: what is best so far in each study, and a field to find one.

const byId = (id) => document.getElementById(id);

/** One after the other: there may be many, and the page is there already. */
async function fillIn() {
  for (const cell of document.querySelectorAll("[data-best-of]")) {
    try {
      const reply = await fetch(`/api/v1/studies/${cell.dataset.bestOf}/best`, { credentials: "same-origin" });
      if (reply.ok) cell.textContent = (await reply.json()).best?.value || "–";
    } catch {
      return;
    }
  }
}

const filter = byId("filter");
if (filter) {
  filter.closest(".filter").hidden = false;
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of document.querySelectorAll("[data-title]")) row.hidden = !row.dataset.title.toLowerCase().includes(wanted);
  });
}

// Of several menus one is open.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" ? event.target.closest("details.menu[open]") : null;
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

fillIn();

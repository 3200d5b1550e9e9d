// The form of a new study: shows what belongs to the choices made, adds and removes parameters.

const form = document.getElementById("study");
const rows = document.getElementById("parameters");
const add = document.getElementById("add-parameter");

/** Shows the parts that belong to the chosen radio buttons. */
function showParts() {
  for (const part of form.querySelectorAll("[data-shown-for]")) {
    const [name, values] = part.dataset.shownFor.split("=");
    part.hidden = !values.split(" ").includes(form.elements[name].value);
  }
  // Values that are compared themselves are not rendered.
  const plain = form.elements.subject.value === "parameters" && !form.elements.renderer?.value;
  if (plain) form.querySelector(".try").hidden = true;
}

/** Shows the fields that belong to a parameter's kind of values. */
function showFields(row) {
  const kind = row.querySelector("select").value;
  for (const field of row.querySelectorAll("[data-kinds]")) {
    const kinds = field.dataset.kinds;
    field.hidden = kinds !== "" && !kinds.split(" ").includes(kind);
  }
}

/** Numbers rows, and lets one be removed if there are several. */
function number() {
  for (const [i, row] of [...rows.children].entries()) {
    for (const place of row.querySelectorAll(".place")) place.textContent = i + 1;
    for (const field of row.querySelectorAll("[data-part]")) {
      const id = `parameter-${field.dataset.part}-${i}`;
      field.querySelector("label").htmlFor = id;
      field.querySelector("input, select").id = id;
    }
    row.querySelector(".remove").hidden = rows.children.length === 1;
  }
}

for (const spare of rows.querySelectorAll("[data-spare]")) {
  if (rows.children.length > 1) spare.remove();
}
const pattern = rows.firstElementChild.cloneNode(true);
for (const field of pattern.querySelectorAll("input")) {
  field.value = "";
  field.removeAttribute("aria-invalid");
  field.removeAttribute("aria-describedby");
}
for (const error of pattern.querySelectorAll(".error")) error.remove();
pattern.querySelector("select").selectedIndex = 0;

add.hidden = false;
add.addEventListener("click", () => {
  const row = pattern.cloneNode(true);
  rows.append(row);
  number();
  showFields(row);
  row.querySelector("input").focus();
});

rows.addEventListener("click", (event) => {
  const button = event.target.closest(".remove");
  if (!button) return;
  button.closest(".parameter").remove();
  number();
  add.focus();
});

rows.addEventListener("change", (event) => {
  if (event.target.matches("select")) showFields(event.target.closest(".parameter"));
});
form.addEventListener("change", showParts);

number();
for (const row of rows.children) showFields(row);
showParts();

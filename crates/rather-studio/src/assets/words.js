// What pages say, in the language that the page brings along; English is what the scripts are written in.

const page = document.getElementById("page");
const known = (page && JSON.parse(page.textContent).words) ?? {};

/** A text in the page's language, with each `{}` replaced by a value. */
export function word(english, ...values) {
  return values.reduce((text, value) => text.replace("{}", () => value), known[english] ?? english);
}

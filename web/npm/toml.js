// Plain data as TOML, in which the definition of a study is written.

/** A string: the escapes of JSON are those of TOML, which forbids one more character as it is. */
const text = (value) => JSON.stringify(value).replaceAll("\u007f", "\\u007f");

/** A value on one line. */
function inline(value, key) {
  if (typeof value === "string") return text(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map((one) => inline(one, key)).join(", ")}]`;
  if (typeof value === "object" && value !== null) return `{ ${pairs(value).join(", ")} }`;
  throw new TypeError(`${key} is ${value}; write a string, a finite number, a list or an object`);
}

/** `key = value` of each entry that is there. */
function pairs(object) {
  const there = Object.entries(object).filter(([, value]) => value !== undefined && value !== null);
  return there.map(([key, value]) => `${text(key)} = ${inline(value, key)}`);
}

/** An object as a document, an entry a line. */
export function toml(object) {
  return pairs(object).map((line) => `${line}\n`).join("");
}

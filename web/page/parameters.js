// Parameters as people write them, a line each: `gain: 0 to 20`, `taps: 1 to 8 whole`, `mode: soft, hard`.

const RANGE = /^(\S+)\s+to\s+(\S+?)(\s+whole)?$/;

function parameter(line) {
  const [, name, text] = line.match(/^([^:]+):(.+)$/) ?? [];
  if (!name) throw new Error(`“${line}” is no parameter; write a name, a colon, and a range or choices, as gain: 0 to 20`);
  const range = text.trim().match(RANGE);
  if (!range) return [name.trim(), { type: "categorical", choices: text.split(",").map((choice) => choice.trim()) }];
  const [low, high] = [Number(range[1]), Number(range[2])];
  if (Number.isNaN(low) || Number.isNaN(high)) throw new Error(`“${text.trim()}” is no range of numbers; write 0 to 20`);
  return [name.trim(), { type: range[3] ? "integer" : "float", low, high }];
}

/** The table of parameters of a definition. */
export function readParameters(text) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return Object.fromEntries(lines.map(parameter));
}

// The program that the tests compare with, and how numbers are compared.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url));
export const example = (name) => join(root, "examples", name);

const program = process.env.RATHER_PROGRAM ?? join(root, "target/debug/rather");

/** What the program prints for these arguments, as JSON. */
export function rather(...args) {
  return JSON.parse(text(...args, "--json", "--quiet"));
}

/** What the program prints. */
export const text = (...args) => execFileSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });

/** Calls `work` with a folder that is removed afterwards. */
export function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "rather-web-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A processor that fuses multiplications with additions rounds otherwise than WebAssembly does, and so do wider sums; where expectation propagation
 * ends, its moments agree to 1e-8, and rounding decides in which of these states. */
const TOLERANCE = 1e-8;

/** Asserts that two values are the same, numbers to eight digits or decimals; keys of `except` are not looked at. */
export function same(found, expected, except = [], path = "") {
  if (typeof expected === "number" && typeof found === "number") {
    const scale = Math.max(1, Math.abs(expected));
    return assert.ok(Math.abs(found - expected) <= TOLERANCE * scale, `${path}: ${found} and ${expected}`);
  }
  if (typeof expected !== "object" || expected === null) return assert.equal(found, expected, path);
  assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort(), `${path}: keys`);
  for (const key of Object.keys(expected)) {
    if (!except.includes(key)) same(found[key], expected[key], except, `${path}/${key}`);
  }
}

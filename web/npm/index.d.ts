/** A table: text in CSV, TSV, JSON or JSON lines, the bytes of a file, or rows as objects. */
export type Table = string | Uint8Array | ArrayBuffer | object[];

/** A mistake that whoever calls can mend, in one sentence. */
export class RatherError extends Error {}

/** The version of the library. */
export const version: string;

export interface ArenaOptions {
  /** What the table is called in messages; an ending `.gz` says that it is compressed. */
  name?: string;
  /** What ratings are measured in: `elo` if not given. */
  units?: "elo" | "jod" | "utility" | "win-rate";
  /** An item of a fixed rating: `NAME=1114`, or its name alone. */
  anchor?: string;
  /** Numbers of each side whose effect is taken out (`tokens` of `tokens_a` and `tokens_b`), or `found` for all. */
  style?: string | string[];
  /** A column for each value of which there is a board, too. */
  by?: string;
  /** Only votes since this date, as `2026-01-31`. */
  since?: string;
  /** Roles for columns that are called otherwise: `{ left: "first", right: "second", outcome: "vote" }`. */
  columns?: Record<string, string>;
  seed?: number;
}

export interface Place {
  rank: number;
  item: string;
  rating: number;
  /** The ends of its 95 % interval. */
  lower: number;
  upper: number;
  votes: number;
  probability_best: number;
  /** A 95 % interval of the rank. */
  rank_low: number;
  rank_high: number;
  probability_above_next: number | null;
  /** Items of one group cannot be distinguished from its first. */
  group: number;
}

export interface Weight {
  column: string;
  rating: number;
  lower: number;
  upper: number;
  probability: number;
}

/** The keys of `rather arena --json`. */
export interface Leaderboard {
  source: string;
  read: {
    votes: number;
    items: number;
    left: number;
    right: number;
    ties: number;
    both_good: number;
    both_bad: number;
    columns: { column: string; role: string }[];
    left_out: { flaw: string; rows: number; first: string }[];
    before: number;
    numbers_of_sides: string[];
  };
  units: string;
  board: Place[];
  boards?: { level: string; board: Place[] }[];
  position: Weight | null;
  style: Weight[];
  tie_between_equals: number | null;
  good_from: number | null;
  judges: Record<string, unknown>[];
  voters: number;
  intervals_by_voters: number | null;
  audit: { check: string; concern: boolean; sentence: string }[];
  next: [string, string][];
  votes_to_separate: { first: string; second: string; votes: number | null } | null;
  kernel: string;
  log_evidence: number;
  converged: boolean;
  warnings: string[];
}

/** A leaderboard from votes, as `rather arena` has it. */
export function arena(votes: Table, options?: ArenaOptions): Leaderboard;

export interface FitOptions {
  /** What the table is called in messages. */
  name?: string;
  /** A table of items with features; without one, items are what the answers name. */
  items?: Table;
  /** A kernel's expression (`se[price] + white`); without one it is chosen. */
  kernel?: string;
  /** A lengthscale for each feature. */
  ard?: boolean;
  /** Whether the position bias is learned. */
  positionBias?: boolean;
  link?: "probit" | "logistic";
  ties?: "learn" | "drop";
}

export interface Fit {
  items: number;
  kernel: string;
  hyperparameters: [string, number][];
  log_evidence: number;
  converged: boolean;
  warnings: string[];
  /** The items by decreasing mean utility. */
  ranking: { item: string; rank: number; mean: number; sd: number }[];
}

/** Utilities of items from answers of any kind, as `rather fit` learns them. */
export function fit(answers: Table, options?: FitOptions): Fit;

/** An item's key, or the setting of parameters. */
export type Alternative = string | Record<string, number | string>;

export type Parameter =
  | { type: "float"; low: number; high: number; scale?: "linear" | "log"; step?: number }
  | { type: "integer"; low: number; high: number }
  | { type: "categorical"; choices: string[] };

/** A definition: the keys of the files that `rather study new --from` takes. */
export interface Definition {
  title?: string;
  question?: string;
  seed?: number;
  /** Keys, or objects with the key and features. */
  items?: (string | Record<string, string | number>)[];
  parameters?: Record<string, Parameter>;
  /** Options of a question; of more than two, the best is asked. */
  options?: number;
  answers?: "sides" | "ties" | "graded" | "best" | "best and worst";
  policy?: { acquisition?: string; opponent?: string; initial?: number };
  prior?: { family?: string; lengthscale?: number; sd?: number; learn?: boolean };
  stop?: { answers?: number; regret?: number };
  [key: string]: unknown;
}

export type Question =
  | { finished: false; comparison: number; options: Alternative[]; answers: number; again: boolean }
  | { finished: true; answers: number };

export interface Recorded {
  comparison: number | null;
  options: Alternative[];
  answer: string;
  answers: number;
}

export interface Estimate {
  mean: number;
  sd: number;
  low: number;
  high: number;
}

export interface Recommendation {
  answers: number;
  recommended: Alternative;
  utility: Estimate;
  /** The probability that it is the best of the list; `null` for parameters. */
  probability_best: number | null;
  probability_good_enough: number;
  expected_regret: number;
  /** The regret that is not exceeded with a probability of 90 %. */
  regret_at_most: number;
  /** The expected regret below which it is good enough. */
  limit: number;
  stop: "go_on" | "good_enough" | "finished";
  more_answers: number | null;
  ranking: { alternative: Alternative; utility: Estimate; probability_best: number | null; comparisons: number }[];
}

/** A study: ask, tell, undo, recommend. The same definition, seed and answers give the same questions as in the program. */
export class Study {
  constructor(definition: Definition | string, options?: { name?: string; participant?: string });
  /** Takes up a study from its log, which `export()` gives. */
  static restore(log: string | Uint8Array, options?: { participant?: string }): Study;
  readonly name: string;
  readonly title: string;
  readonly question: string;
  /** The answers that may be given. */
  readonly takes: string[];
  readonly notes: string[];
  /** Who answers. */
  participant?: string;
  ask(): Question;
  tell(answer: string, comparison?: number): Recorded;
  undo(): Recorded;
  recommend(): Recommendation;
  /** `jsonl` is the log with the definition, which `restore` and `rather study import` take; also `csv`, `winner`, `soi`, `toi`, `soc`, `toc`. */
  export(format?: string): string;
  /** Adds the answers of a file; the ending of its name says the format. */
  import(file: string | Uint8Array, name?: string): { answers: number; ties: number; participants: string[]; notes: string[] };
  close(): boolean;
}

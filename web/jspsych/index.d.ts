import type { Alternative, Study } from "@rather/core";

/** What the plugin needs of a study. */
export type Asks = Pick<Study, "ask" | "tell" | "takes" | "question">;

export interface Trial {
  study: Asks;
  /** Draws an alternative into an element; text if not given. */
  show?: (alternative: Alternative, element: HTMLElement) => void;
  /** What stands above the options; the study's question if not given. */
  prompt?: string;
  /** What the button for no preference is called. */
  tie?: string;
  /** The key of each answer, or "NO_KEYS". */
  keys?: Record<string, string> | "NO_KEYS";
}

/** The data of a trial. */
export interface Compared {
  comparison: number;
  options: Alternative[];
  answer: string;
  rt: number;
  answers: number;
  finished: boolean;
}

/** A plugin of jsPsych 8. */
export default class RatherPlugin {
  static info: object;
  constructor(jsPsych: object);
  trial(display: HTMLElement, trial: Required<Trial>): void;
}

/** A node of a timeline: comparisons until the study has no more to ask, or at most `n`. */
export function comparisons(study: Asks, options?: Omit<Trial, "study"> & { n?: number }): { timeline: object[]; loop_function: (data: object) => boolean };

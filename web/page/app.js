// Which view is shown, and what works without a network.

import { byId } from "./elements.js";
import "./leaderboard.js";
import { showStudies } from "./studies.js";
import { showComparison } from "./compare.js";
import { showResult } from "./result.js";

/** Views by the first part of the address after `#`; the second is the number of a study. */
const VIEWS = { leaderboard: () => {}, studies: showStudies, compare: showComparison, result: showResult };

async function show() {
  const [, name, study] = location.hash.match(/^#(\w+)(?:\/(\d+))?$/) ?? [];
  const view = name in VIEWS ? name : "leaderboard";
  for (const section of document.querySelectorAll(".view")) section.hidden = section.id !== view;
  document.body.className = view === "compare" ? "comparing" : "";
  const page = view === "leaderboard" ? view : "studies";
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.hash === `#${page}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  await VIEWS[view](Number(study));
  scrollTo(0, 0);
}

addEventListener("hashchange", () => {
  show();
  byId("main").focus();
});
show();

if ("serviceWorker" in navigator) navigator.serviceWorker.register("sw.js");

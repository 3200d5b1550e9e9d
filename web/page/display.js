// How an alternative is shown: a text, a picture, a sound, or the values of parameters.

import { make } from "./elements.js";

const MEDIA = {
  image: (url, alt) => make("img", { src: url, alt, className: "picture" }),
  audio: (url) => make("audio", { src: url, controls: true }),
  video: (url) => make("video", { src: url, controls: true, playsInline: true }),
};

/** What an alternative is called in a sentence. */
export function nameOf(alternative) {
  if (typeof alternative === "string") return alternative;
  return Object.entries(alternative).map(([name, value]) => `${name} = ${value}`).join(", ");
}

/** Addresses of files, each made once. */
const urls = new WeakMap();

function url(file) {
  if (!urls.has(file)) urls.set(file, URL.createObjectURL(file));
  return urls.get(file);
}

/** The elements that show an alternative of a study with these files. */
export function display(alternative, files) {
  if (typeof alternative !== "string") {
    const values = Object.entries(alternative).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, String(value))));
    return [make("dl", { className: "parameters" }, values)];
  }
  const file = files[alternative];
  const media = MEDIA[file?.type.split("/")[0]];
  if (!media) return [make("p", { className: "text" }, alternative)];
  return [media(url(file), alternative), make("p", { className: "soft" }, alternative)];
}

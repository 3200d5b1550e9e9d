// A small client of the WebDriver protocol, for Chromium, and a server of files.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, createReadStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { delimiter, dirname, extname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/** The longest that anything on a page may take to happen. Generous: machines that test are busy. */
const PATIENCE = 60_000;

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json" };

/** Serves a folder: its address, and what stops it. */
export async function serve(folder) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://x").pathname;
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, stop };
}

/** The program of this name: what a variable says, or what is on the path. */
function program(variable, ...names) {
  const folders = process.env.PATH.split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  return process.env[variable] ?? found;
}

async function request(method, url, body) {
  const reply = await fetch(url, { method, body: body && JSON.stringify(body) });
  const { value } = await reply.json();
  if (!reply.ok) throw new Error(`${url}: ${value.message}`);
  return value;
}

export class Browser {
  #session;
  #driver;

  /** A headless browser; nothing if this machine has none. */
  static async start() {
    const [binary, driver] = [program("CHROMIUM", "chromium", "chromium-browser", "google-chrome"), program("CHROMEDRIVER", "chromedriver")];
    if (!binary || !driver) return undefined;
    const browser = new Browser();
    browser.#driver = spawn(driver, ["--port=0"], { stdio: ["ignore", "pipe", "ignore"] });
    const lines = createInterface({ input: browser.#driver.stdout });
    const port = await new Promise((resolve) => lines.on("line", (line) => line.includes("successfully on port") && resolve(line.match(/on port (\d+)/)[1])));
    const args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"];
    const logs = { "goog:loggingPrefs": { browser: "ALL" } };
    const wanted = { capabilities: { alwaysMatch: { browserName: "chrome", "goog:chromeOptions": { binary, args }, ...logs } } };
    const { sessionId } = await request("POST", `http://127.0.0.1:${port}/session`, wanted);
    browser.#session = `http://127.0.0.1:${port}/session/${sessionId}`;
    // A window that has no focus drops keys.
    await browser.devtools("Emulation.setFocusEmulationEnabled", { enabled: true });
    return browser;
  }

  async stop() {
    await request("DELETE", this.#session).catch(() => {});
    this.#driver.kill();
  }

  post(path, body = {}) {
    return request("POST", `${this.#session}/${path}`, body);
  }

  devtools(cmd, params) {
    return this.post("goog/cdp/execute", { cmd, params });
  }

  go(url) {
    return this.post("url", { url });
  }

  /** What a script returns, or what it promises. */
  script(script, ...args) {
    return this.post("execute/sync", { script: `return (async (...args) => { ${script} })(...arguments)`, args });
  }

  /** Waits until an expression is true. */
  async until(expression) {
    const end = Date.now() + PATIENCE;
    while (!(await this.script(`return Boolean(${expression})`))) {
      if (Date.now() > end) throw new Error(`never: ${expression}\n${await this.script("return document.body.innerText")}`);
      await sleep(30);
    }
  }

  async #find(selector) {
    const found = await this.post("element", { using: "css selector", value: selector });
    return Object.values(found)[0];
  }

  async click(selector) {
    await this.post(`element/${await this.#find(selector)}/click`);
  }

  async type(selector, text) {
    await this.post(`element/${await this.#find(selector)}/value`, { text });
  }

  /** Presses a key, wherever the focus is. */
  press(key) {
    const actions = [{ type: "keyDown", value: key }, { type: "keyUp", value: key }];
    return this.post("actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  /** The window: its width, and whether dark colours are preferred. */
  async look(width, dark = false, height = 900) {
    await this.devtools("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.devtools("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
  }

  offline(offline) {
    return this.devtools("Network.emulateNetworkConditions", { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  }

  /** Errors that the page has logged since the last look. */
  async errors() {
    const entries = await this.post("se/log", { type: "browser" });
    return entries.filter((entry) => entry.level === "SEVERE").map((entry) => entry.message);
  }

  /** A picture of all of the page. */
  async picture(file) {
    const { data } = await this.devtools("Page.captureScreenshot", { format: "png", captureBeyondViewport: true });
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, data, "base64");
  }
}

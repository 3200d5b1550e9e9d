// Sends answers so that none is lost and none counted twice.
//
// Every request has a key of its own, which the server remembers: sent again with the same key it counts once. A request is
// kept in the browser until the server has answered it, also over a reload of the page.

const TIMEOUT = 20_000;
const LONGEST_WAIT = 15_000;

/** An answer of the server that sending again would not change. */
export class Refused extends Error {
  constructor(status, failure) {
    super(failure?.error ?? `The server answered with status ${status}.`);
    this.status = status;
  }
}

/** A text that no other request has. (`randomUUID` is only there on secure origins.) */
function key() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Outbox {
  /** `trouble` is told why a request waits, with a function that sends it at once; `clear`, that it is through. */
  constructor({ api, csrf, trouble, clear }) {
    Object.assign(this, { api, csrf, trouble, clear });
    this.place = `rather:outbox:${api}`;
  }

  /** The request that was not through when the page was left. */
  get left() {
    try {
      return JSON.parse(localStorage.getItem(this.place));
    } catch {
      return null;
    }
  }

  /** Sends a request until the server answers it. */
  send(verb, body) {
    return this.deliver({ verb, body: { ...body, key: key() } });
  }

  /** Sends `request`, which may be one that was left. */
  async deliver(request) {
    this.keep(request);
    for (let wait = 500; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        const reply = await this.post(request);
        this.keep(null);
        this.clear();
        return reply;
      } catch (error) {
        if (error instanceof Refused) {
          // Signing in helps, and then the request is still there.
          if (error.status !== 401) this.keep(null);
          throw error;
        }
        await this.pause(wait, error);
      }
    }
  }

  async post({ verb, body }) {
    const reply = await fetch(`${this.api}/${verb}`, {
      method: "POST",
      credentials: "same-origin",
      headers: { "content-type": "application/json", "x-csrf-token": this.csrf },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (reply.ok) return reply.json();
    if (reply.status >= 500 || reply.status === 408 || reply.status === 429) {
      const failure = await reply.json().catch(() => null);
      throw new Error(failure?.error ?? `the server answered with status ${reply.status}`);
    }
    throw new Refused(reply.status, await reply.json().catch(() => null));
  }

  /** Waits, or less if the network comes back or the person is impatient. */
  pause(milliseconds, error) {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        removeEventListener("online", done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      addEventListener("online", done);
      this.trouble(error, done);
    });
  }

  keep(request) {
    try {
      if (request) localStorage.setItem(this.place, JSON.stringify(request));
      else localStorage.removeItem(this.place);
    } catch {
      // Private windows may have no storage; the request is then lost with the page.
    }
  }
}

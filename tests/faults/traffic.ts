import { KeepAliveCaller, type Sent, validateRequest } from "../support/keep-alive.ts";
import { until } from "../support/until.ts";

/** A license that traffic validates, and every status that is correct for it. */
export interface Subject {
  readonly id: string;
  readonly key: string;
  readonly apiKey: string;
  readonly truths: readonly string[];
  /** Whether the responses of its product are signed. */
  readonly isSigned?: true;
}

/** Callers that send requests, and a record of all responses. */
export class Traffic {
  /** Requests that were written to a connection. */
  sent = 0;
  /** Responses with a verdict. */
  acknowledged = 0;
  /** Responses with 503 because storage is unavailable. */
  unavailable = 0;
  /** Connections that closed before the response, after they had carried one before. */
  lostReused = 0;
  lostFresh = 0;
  refused = 0;
  slowestMs = 0;
  readonly wrong: string[] = [];
  /** The request IDs of verdicts. */
  readonly requestIds: string[] = [];
  /** License ID and IP address of every registration that a response reported. */
  readonly registrations: { licenseId: string; ip: string }[] = [];
  readonly #subjects: readonly Subject[];
  #running: Promise<void>[] = [];
  #stopping = false;

  constructor(subjects: readonly Subject[]) {
    this.#subjects = subjects;
  }

  /** What no caller of a server that runs all the time may see: anything but verdicts and 503. */
  get problems(): string[] {
    const lost = this.lostReused + this.lostFresh;
    return [
      ...this.wrong,
      ...(lost > 0 ? [`${lost} requests got no answer at all`] : []),
      ...(this.refused > 0 ? [`${this.refused} connections were refused`] : []),
    ];
  }

  /** Sends requests without end. Each caller has its own IP address and waits briefly between requests. */
  start(port: number, callers: number, pauseMs: number, firstIp = "127.0.0.2"): void {
    this.#stopping = false;
    this.#running.push(...this.#callFrom(port, callers, firstIp, pauseMs, () => !this.#stopping));
  }

  /** Lets every caller finish its current request. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.ended();
  }

  /** Resolves when every caller has been refused a connection because the server no longer listens. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Waits for as many further verdicts. */
  async flows(verdicts: number, what = "there is traffic"): Promise<void> {
    const enough = this.acknowledged + verdicts;
    await until(what, () => this.acknowledged >= enough, 60_000);
  }

  /** Sends this many requests, without a pause. */
  async send(port: number, count: number, callers: number, firstIp = "127.0.1.10"): Promise<void> {
    let left = count;
    await Promise.all(this.#callFrom(port, callers, firstIp, null, () => left-- > 0));
  }

  #callFrom(port: number, callers: number, first: string, pauseMs: number | null, goesOn: () => boolean) {
    return Array.from({ length: callers }, (_, index) => {
      const ip = first.replace(/\d+$/, (last) => String(Number(last) + index));
      return this.#call(port, ip, pauseMs, goesOn);
    });
  }

  async #call(port: number, ip: string, pauseMs: number | null, goesOn: () => boolean): Promise<void> {
    const caller = new KeepAliveCaller(port, ip);
    while (goesOn()) {
      const subject = this.#subjects[Math.floor(Math.random() * this.#subjects.length)];
      if (subject === undefined) break;
      const sent = await caller.send(validateRequest(subject.apiKey, subject.key), 60_000);
      if (sent.tag === "refused") {
        this.refused += 1;
        break;
      }
      this.#note(sent, subject, ip);
      if (pauseMs !== null) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    caller.close();
  }

  #note(sent: Exclude<Sent, { tag: "refused" }>, { id, truths, isSigned }: Subject, ip: string): void {
    this.sent += 1;
    if (sent.tag === "lost") {
      if (sent.reused) this.lostReused += 1;
      else this.lostFresh += 1;
      return;
    }
    this.slowestMs = Math.max(this.slowestMs, sent.ms);
    const { status, body: text, headers } = sent.answer;
    const body = JSON.parse(text === "" ? "{}" : text);
    if (status === 503 && body.valid === false && body.status === "unavailable") {
      this.unavailable += 1;
      return;
    }
    const isTrue = status === 200 && truths.includes(body.status);
    const signature = isSigned ? "string" : "object";
    if (!isTrue || body.valid !== (body.status === "active") || typeof body.signature !== signature) {
      this.wrong.push(`${status} ${text} for a license that is ${truths.join(" or ")}`);
      return;
    }
    this.acknowledged += 1;
    this.requestIds.push(headers.get("x-request-id") ?? "");
    if (body.ip_registered === true) this.registrations.push({ licenseId: id, ip });
  }
}

/** Repeats something, several times at once, until it is stopped: then each finishes what it does. */
export function repeat(
  act: () => Promise<unknown>,
  { atOnce = 1, pauseMs = 0 } = {},
): { stop(): Promise<unknown> } {
  let isStopped = false;
  const acting = Array.from({ length: atOnce }, async () => {
    while (!isStopped) {
      await act();
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });
  return {
    stop: () => {
      isStopped = true;
      return Promise.all(acting);
    },
  };
}

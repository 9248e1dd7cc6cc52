import { KeepAliveCaller, type Sent, validateRequest } from "../support/keep-alive.ts";
import type { Subject, Subjects } from "./subjects.ts";

/** Callers that send requests without end, and a record of all responses. */
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
  slowestMs = 0;
  readonly wrong: string[] = [];
  /** The request IDs of verdicts. */
  readonly requestIds: string[] = [];
  /** License ID and IP address of every registration that a response reported. */
  readonly registrations: { licenseId: string; ip: string }[] = [];
  readonly #subjects: Subjects;
  #running: Promise<void>[] = [];
  #stopping = false;

  constructor(subjects: Subjects) {
    this.#subjects = subjects;
  }

  /** Each caller has its own IP address and waits briefly between requests. */
  start(port: number, callers: number, pauseMs: number): void {
    this.#stopping = false;
    this.#running = Array.from({ length: callers }, (_, index) =>
      this.#call(port, `127.0.0.${2 + index}`, pauseMs),
    );
  }

  /** Lets every caller finish its current request. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  /** Resolves when every caller has been refused a connection because the server no longer listens. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #call(port: number, ip: string, pauseMs: number): Promise<void> {
    const caller = new KeepAliveCaller(port, ip);
    const { all, apiKey } = this.#subjects;
    while (!this.#stopping) {
      const subject = all[Math.floor(Math.random() * all.length)];
      if (subject === undefined) break;
      const sent = await caller.send(validateRequest(apiKey, subject.key), 60_000);
      if (sent.tag === "refused") break;
      this.#note(sent, subject, ip);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    caller.close();
  }

  #note(sent: Exclude<Sent, { tag: "refused" }>, subject: Subject, ip: string): void {
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
    const truthful = status === 200 && subject.truths.includes(body.status);
    if (!truthful || body.valid !== (body.status === "active") || typeof body.signature !== "string") {
      this.wrong.push(`${status} ${text} for a license that is ${subject.truths.join(" or ")}`);
      return;
    }
    this.acknowledged += 1;
    this.requestIds.push(headers.get("x-request-id") ?? "");
    if (body.ip_registered === true) this.registrations.push({ licenseId: subject.id, ip });
  }
}

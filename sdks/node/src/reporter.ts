import type { CountersignError } from "./errors.ts";

type Log = (message: string, details: Readonly<Record<string, unknown>>) => void;

/** Receives what the client does. `console` is one. No message or detail contains a key. */
export interface Logger {
  readonly debug?: Log | undefined;
  readonly info?: Log | undefined;
  readonly warn?: Log | undefined;
  readonly error?: Log | undefined;
}

/** A request that is about to be sent. */
export interface RequestInfo {
  readonly method: "GET" | "POST";
  /** The path, with `{key}` for the license key of a lookup. */
  readonly path: string;
  /** 1, and more for retries. */
  readonly attempt: number;
}

export interface ResponseInfo extends RequestInfo {
  /** Null without a response. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestId: string | null;
  /** Why there was no response. */
  readonly error: Error | null;
}

export interface Hooks {
  readonly onRequest: ((info: RequestInfo) => void) | null;
  readonly onResponse: ((info: ResponseInfo) => void) | null;
}

/** Calls the app's logger and callbacks. Whatever they throw stays here. */
export class Reporter {
  readonly #logger: Logger | null;
  readonly #hooks: Hooks;
  /** Failures that were logged since the last verdict. */
  readonly #logged = new Set<string>();
  readonly #loggedForever = new Set<string>();

  constructor(logger: Logger | null, hooks: Hooks) {
    this.#logger = logger;
    this.#hooks = hooks;
  }

  /** Calls a callback of the app. One that throws, or whose promise rejects, is logged. */
  call(name: string, callback: () => unknown): void {
    const report = (error: unknown) =>
      this.log("error", `The app's ${name} failed.`, { callback: name, error });
    try {
      const returned = callback();
      if (isThenable(returned)) returned.then(undefined, report);
    } catch (error) {
      report(error);
    }
  }

  request(info: RequestInfo): void {
    const { onRequest } = this.#hooks;
    if (onRequest !== null) this.call("onRequest", () => onRequest(info));
  }

  response(info: ResponseInfo): void {
    const { onResponse } = this.#hooks;
    if (onResponse !== null) this.call("onResponse", () => onResponse(info));
  }

  /** From now on, failures are logged again. */
  verdict(): void {
    this.#logged.clear();
  }

  /** Logs each kind of failure once until there is a verdict. */
  failure(error: CountersignError): void {
    if (this.#logged.has(error.name)) return;
    this.#logged.add(error.name);
    const { name, requestId, status, message } = error;
    this.log("warn", `A license could not be validated: ${message}`, { error: name, requestId, status });
  }

  graceUsed(error: CountersignError): void {
    if (this.#logged.has("grace")) return;
    this.#logged.add("grace");
    const { name, requestId, status, message } = error;
    const details = { error: name, requestId, status };
    this.log("warn", `Licenses that were valid are in their grace period: ${message}`, details);
  }

  once(kind: string, message: string, details: Readonly<Record<string, unknown>>): void {
    if (this.#loggedForever.has(kind)) return;
    this.#loggedForever.add(kind);
    this.log("warn", message, details);
  }

  log(level: keyof Logger, message: string, details: Readonly<Record<string, unknown>>): void {
    try {
      // Called on the logger: many loggers need their `this`.
      const returned: unknown = this.#logger?.[level]?.(message, details);
      if (isThenable(returned)) returned.then(undefined, () => undefined);
    } catch {
      // There is nowhere left to report it.
    }
  }
}

interface Thenable {
  then(onResolved: undefined, onRejected: (error: unknown) => void): unknown;
}

function isThenable(value: unknown): value is Thenable {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

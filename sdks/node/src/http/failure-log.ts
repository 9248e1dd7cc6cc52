import type { Decision } from "../client.ts";
import type { CountersignError } from "../errors.ts";
import { type Logger, Reporter } from "../reporter.ts";
import { isMisconfiguration } from "./refusal.ts";
import type { TooManyUnknownKeysError } from "./unknown-key-limit.ts";

const minuteMs = 60_000;
const maxLimitLinesPerMinute = 10;

/** Logs each kind of failure once until there is a verdict again, so that an outage does not fill the log. */
export class FailureLog {
  readonly #logged = new Set<string>();
  /** When the limit of an address was logged last. */
  readonly #limitLoggedMs = new Map<string, number>();
  readonly #steadyMs: () => number;

  constructor(steadyMs: () => number) {
    this.#steadyMs = steadyMs;
  }

  record({ result, error }: Decision<unknown>, logger: Logger): void {
    if (error !== null) this.#recordFailure(error, logger);
    if (result?.source === "server") this.#logged.clear();
    if (result?.source === "grace" && this.#isFirst("grace"))
      log(
        logger,
        "warn",
        "Licenses cannot be validated. Known licenses are accepted in their grace period.",
        {
          checkedAt: result.checkedAt,
        },
      );
  }

  recordLimit({ address }: TooManyUnknownKeysError, logger: Logger): void {
    const nowMs = this.#steadyMs();
    for (const [logged, loggedMs] of this.#limitLoggedMs)
      if (nowMs - loggedMs >= minuteMs) this.#limitLoggedMs.delete(logged);
    if (this.#limitLoggedMs.has(address) || this.#limitLoggedMs.size >= maxLimitLinesPerMinute) return;
    this.#limitLoggedMs.set(address, nowMs);
    const from = address === "" ? "callers without an IP address" : address;
    log(logger, "warn", `Too many unknown license keys from ${from}: further ones get 429.`, { address });
  }

  #recordFailure(error: CountersignError, logger: Logger): void {
    if (!this.#isFirst(error.name)) return;
    const level = isMisconfiguration(error) ? "error" : "warn";
    log(logger, level, `Licenses cannot be validated. ${remedies[error.name] ?? error.message}`, {
      error: error.name,
      requestId: error.requestId,
    });
  }

  #isFirst(kind: string): boolean {
    const isFirst = !this.#logged.has(kind);
    this.#logged.add(kind);
    return isFirst;
  }
}

const remedies: Readonly<Record<string, string>> = {
  AuthenticationError:
    "The server rejected the API key: set apiKey or COUNTERSIGN_API_KEY to the product's current API key.",
  SandboxError:
    "The API key or the response is from the sandbox: use the product's API key, or set allowSandbox in tests only.",
};

/** A logger that fails never affects a request. */
export function log(
  logger: Logger,
  level: "warn" | "error",
  message: string,
  details: Readonly<Record<string, unknown>>,
): void {
  new Reporter(logger, { onRequest: null, onResponse: null }).log(level, message, details);
}

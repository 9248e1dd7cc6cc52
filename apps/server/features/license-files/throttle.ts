import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { ValidationLoad } from "../../base/validation-load.ts";

/** How long-running work leaves room for requests. */
export interface Throttle {
  /** How much to do in one step, in rows: on SQLite, other writers wait until the step ends. */
  rowsAtOnce(): number;
  /** Called between two steps, with the duration of the last one. */
  rest(workedMs: number): Promise<void>;
}

/** The share of the time to work while requests are being served. */
const share = 0.15;
const busyCallsPerSecond = 10;
const maxRestMs = 500;
/**
 * How long a step should take, and its minimum number of rows: if every step is slow because the database is far away
 * or the machine is busy, fewer rows would only mean more steps.
 */
const quiet = { stepMs: 40, fewestRows: 128 };
const busy = { stepMs: 5, fewestRows: 64 };
const maxRows = 2_048;

/**
 * Yields to everything that waits after every step. While validations arrive, the work is limited to a share of the
 * time, in small steps; otherwise it continues immediately, in large ones.
 */
export function throttled(answeredCalls: () => number): Throttle {
  const steps = new Steps();
  const load = new ValidationLoad(answeredCalls, busyCallsPerSecond);
  return {
    rowsAtOnce: () => steps.rows,
    rest: async (workedMs) => {
      await yieldToEventLoop();
      const isBusy = load.isBusy();
      steps.took(workedMs, isBusy ? busy : quiet);
      if (isBusy) await sleep(Math.min(maxRestMs, workedMs * (1 / share - 1)));
    },
  };
}

/** For a process that serves no requests. */
export function unthrottled(): Throttle {
  const steps = new Steps();
  return {
    rowsAtOnce: () => steps.rows,
    rest: async (workedMs) => {
      steps.took(workedMs, quiet);
      await yieldToEventLoop();
    },
  };
}

/** As many rows as fit into the time, based on how long the last ones took. */
class Steps {
  rows = 256;

  took(workedMs: number, { stepMs, fewestRows }: typeof quiet): void {
    const factor = Math.min(2, stepMs / Math.max(0.1, workedMs));
    this.rows = Math.max(fewestRows, Math.min(maxRows, Math.round(this.rows * factor)));
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

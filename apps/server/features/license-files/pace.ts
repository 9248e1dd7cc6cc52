/** How a long piece of work leaves room for those who wait for an answer. */
export interface Pace {
  /** How much to do in one step, in rows: on SQLite, whoever wants to write waits until the step is over. */
  rowsAtOnce(): number;
  /** Called between two steps, with how long the last one took. */
  rest(workedMs: number): Promise<void>;
}

/** While others are being served, this part of the time is worked. */
const share = 0.15;
const busyCallsPerSecond = 10;
const longestRestMs = 500;
const rowsWhenQuiet = 2_048;
const rowsWhenBusy = 128;

/**
 * Lets everything that waits have its turn after every step. While validations come in, the work steps back to a part
 * of the time, in small steps; when there are none, it goes on at once, in large ones.
 */
export function courteous(judgedCalls: () => number): Pace {
  let rows = rowsWhenBusy;
  let callsBefore = judgedCalls();
  let beforeMs = performance.now();
  return {
    rowsAtOnce: () => rows,
    rest: async (workedMs) => {
      await nextTurn();
      const seconds = (performance.now() - beforeMs) / 1_000;
      const isBusy = judgedCalls() - callsBefore > busyCallsPerSecond * seconds;
      rows = isBusy ? rowsWhenBusy : Math.min(rowsWhenQuiet, rows * 2);
      const restMs = Math.min(longestRestMs, workedMs * (1 / share - 1));
      callsBefore = judgedCalls();
      beforeMs = performance.now();
      if (isBusy) await new Promise((resolve) => setTimeout(resolve, restMs));
    },
  };
}

/** For a process that serves nobody. */
export function headlong(): Pace {
  return { rowsAtOnce: () => rowsWhenQuiet, rest: () => nextTurn() };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

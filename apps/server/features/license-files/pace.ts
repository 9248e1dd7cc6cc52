/** How a long piece of work leaves room for those who wait for an answer. */
export interface Pace {
  /** How much to do in one step, in rows: on SQLite, whoever wants to write waits until the step is over. */
  rowsAtOnce(): number;
  /** Called between two steps, with how long the last one took. */
  rest(workedMs: number): Promise<void>;
}

/** Of the time while others are being served, this part is worked. */
const share = 0.15;
const busyMs = 2;
const longestRestMs = 400;
const rowsWhenQuiet = 1_024;
const rowsWhenBusy = 128;

/**
 * Lets everything that waits have its turn after every step. When that took noticeable time, somebody is being served,
 * and the work steps back to a part of the time, in smaller steps; when nobody is, it goes on at once.
 */
export function courteous(): Pace {
  let rows = rowsWhenBusy;
  return {
    rowsAtOnce: () => rows,
    rest: async (workedMs) => {
      const beforeMs = performance.now();
      await nextTurn();
      await nextTurn();
      const isBusy = performance.now() - beforeMs >= busyMs;
      rows = isBusy ? rowsWhenBusy : Math.min(rowsWhenQuiet, rows * 2);
      if (!isBusy) return;
      const restMs = Math.min(longestRestMs, workedMs * (1 / share - 1));
      await new Promise((resolve) => setTimeout(resolve, restMs));
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

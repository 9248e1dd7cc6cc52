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
/**
 * How long a step should take, and how many rows it has however long it takes: where every step takes long because the
 * database is far away or the machine has other work, fewer rows would only make more steps.
 */
const quiet = { stepMs: 40, fewestRows: 128 };
const busy = { stepMs: 5, fewestRows: 64 };
const mostRows = 2_048;

/**
 * Lets everything that waits have its turn after every step. While validations come in, the work steps back to a part
 * of the time, in small steps; when there are none, it goes on at once, in large ones.
 */
export function courteous(judgedCalls: () => number): Pace {
  const steps = new Steps();
  let callsBefore = judgedCalls();
  let beforeMs = performance.now();
  return {
    rowsAtOnce: () => steps.rows,
    rest: async (workedMs) => {
      await nextTurn();
      const seconds = (performance.now() - beforeMs) / 1_000;
      const isBusy = judgedCalls() - callsBefore > busyCallsPerSecond * seconds;
      steps.took(workedMs, isBusy ? busy : quiet);
      callsBefore = judgedCalls();
      beforeMs = performance.now();
      if (isBusy) await pause(Math.min(longestRestMs, workedMs * (1 / share - 1)));
    },
  };
}

/** For a process that serves nobody. */
export function headlong(): Pace {
  const steps = new Steps();
  return {
    rowsAtOnce: () => steps.rows,
    rest: async (workedMs) => {
      steps.took(workedMs, quiet);
      await nextTurn();
    },
  };
}

/** As many rows as fit into the time, going by how long the last ones took. */
class Steps {
  rows = 256;

  took(workedMs: number, { stepMs, fewestRows }: typeof quiet): void {
    const factor = Math.min(2, stepMs / Math.max(0.1, workedMs));
    this.rows = Math.max(fewestRows, Math.min(mostRows, Math.round(this.rows * factor)));
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

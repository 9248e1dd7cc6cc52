import type { Fault } from "./fault.ts";
import type { FaultRecord } from "./record.ts";

/** For a fault that has never been run. */
const usualSeconds = 20;

export function randomSeed(): number {
  return Math.floor(Math.random() * 1_000_000);
}

/** Faults in an order that depends only on the seed, until they take this long. At least one. */
export function chosenFor(
  faults: readonly Fault[],
  {
    seed,
    seconds,
    record,
  }: { readonly seed: number; readonly seconds: number; readonly record: FaultRecord },
): Fault[] {
  const random = randomNumbers(seed);
  const shuffled = faults
    .map((fault) => ({ fault, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ fault }) => fault);
  const chosen: Fault[] = [];
  let total = 0;
  for (const fault of shuffled) {
    const needed = record[fault.name]?.seconds ?? usualSeconds;
    if (chosen.length > 0 && total + needed > seconds) continue;
    chosen.push(fault);
    total += needed;
  }
  return chosen;
}

/** Numbers from 0 to 1: a linear congruential generator, which is random enough to choose from a list. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

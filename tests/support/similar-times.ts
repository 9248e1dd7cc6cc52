import { expect } from "bun:test";

const fewestRounds = 3;
/** On a busy machine it takes many rounds until both have been answered undisturbed. */
const maxRounds = 100;
const timeoutMs = 40_000;

/**
 * Expects that two requests take about the same time. Each round sends both, with what the round needs prepared before.
 * The fastest of each is compared, because other load only adds time; further rounds are sent while they differ.
 */
export async function expectSimilarTimes(
  prepare: (round: number) => Promise<readonly [() => Promise<void>, () => Promise<void>]>,
): Promise<void> {
  const fastestMs = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number];
  const ratio = () => fastestMs[0] / fastestMs[1];
  const endMs = performance.now() + timeoutMs;
  for (let round = 1; round <= maxRounds && performance.now() < endMs; round++) {
    const requests = await prepare(round);
    // The first request after the preparation may be slower, so they take turns.
    for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const startedMs = performance.now();
      await requests[index]();
      fastestMs[index] = Math.min(fastestMs[index], performance.now() - startedMs);
    }
    if (round >= fewestRounds && ratio() > 0.6 && ratio() < 1.7) return;
  }
  expect(ratio()).toBeWithin(0.6, 1.7);
}

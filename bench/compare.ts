import type { CpuTime } from "./cpu.ts";
import { type LoadSettings, load, type Measurement, type Target } from "./load.ts";

export interface Comparison {
  readonly target: Target;
  readonly rounds: readonly Measurement[];
}

/**
 * Measures the targets alternately in several rounds, so that other load on the machine affects all of them alike. A
 * ratio is the median of the ratios of all rounds.
 */
export async function compare(
  targets: readonly Target[],
  settings: LoadSettings & { readonly rounds: number },
  log: (text: string) => void,
): Promise<Comparison[]> {
  const rounds = new Map<Target, Measurement[]>(targets.map((target) => [target, []]));
  for (const target of targets) await load(target, { ...settings, seconds: 1 });
  for (let round = 0; round < settings.rounds; round += 1) {
    // Every second round is in reverse order, so that no target always runs after the same one.
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const measured = await load(target, settings);
      rounds.get(target)?.push(measured);
      log(`  round ${round + 1}  ${target.name.padEnd(34)} ${Math.round(measured.requestsPerSecond)}/s`);
      if (measured.failed > 0) throw new Error(`${measured.failed} requests to ${target.name} failed.`);
    }
  }
  return targets.map((target) => ({ target, rounds: rounds.get(target) ?? [] }));
}

/**
 * The CPU time of a request, in microseconds, with all that is done afterwards; null if it is not known. At the same rate
 * for all, because a server that is faster for a moment answers more requests at once, at a lower cost each.
 */
export async function cpuTimes(
  targets: readonly Target[],
  settings: LoadSettings & { readonly rounds: number },
): Promise<(CpuTime | null)[]> {
  const before = targets.map((target) => target.cpu?.() ?? null);
  const requests = targets.map(() => 0);
  for (let round = 0; round < settings.rounds; round += 1) {
    const turns = [...targets.entries()];
    for (const [index, target] of round % 2 === 0 ? turns : turns.toReversed()) {
      const { requestsPerSecond } = await load(target, settings);
      requests[index] = (requests[index] ?? 0) + requestsPerSecond * settings.seconds;
    }
  }
  // Until the requests are in the log and counted.
  await Bun.sleep(5_000);
  return targets.map((target, index) => {
    const [from, to] = [before[index] ?? null, target.cpu?.() ?? null];
    if (from === null || to === null) return null;
    const each = (of: keyof CpuTime) => ((to[of] - from[of]) / (requests[index] ?? 1)) * 1e6;
    return { validating: each("validating"), all: each("all") };
  });
}

export function ratio(of: Comparison, to: Comparison): number {
  return median(
    of.rounds.map((round, index) => round.requestsPerSecond / (to.rounds[index]?.requestsPerSecond ?? 1)),
  );
}

export function perSecond(comparison: Comparison): number {
  return median(comparison.rounds.map((round) => round.requestsPerSecond));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

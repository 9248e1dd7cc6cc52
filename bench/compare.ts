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

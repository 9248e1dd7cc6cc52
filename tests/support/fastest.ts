/**
 * The time of the fastest of several runs, because other load on the machine only makes one slower. Ends early with a run
 * that is fast enough.
 */
export function fastestMs(run: () => void, enoughMs = 0, attempts = 20): number {
  return fastest(run, () => performance.now(), enoughMs, attempts);
}

/** The same in processor time: on a busy machine, the elapsed time of a long run says little. */
export function fastestCpuMs(run: () => void, enoughMs = 0, attempts = 5): number {
  const cpuMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  return fastest(run, cpuMs, enoughMs, attempts);
}

function fastest(run: () => void, nowMs: () => number, enoughMs: number, attempts: number): number {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && fastestMs >= enoughMs; attempt++) {
    const startedMs = nowMs();
    run();
    fastestMs = Math.min(fastestMs, nowMs() - startedMs);
  }
  return fastestMs;
}

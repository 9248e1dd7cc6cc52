/** The time, in the two ways that differ if someone sets the clock. Tests provide their own. */
export interface Clock {
  /** The wall clock, in milliseconds since 1970. It can jump. */
  wallMs(): number;
  /** The monotonic clock, in milliseconds since an arbitrary start. It never goes back. */
  steadyMs(): number;
  sleep(ms: number): Promise<void>;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  steadyMs: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

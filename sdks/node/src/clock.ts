/** What time it is, in the two ways that differ when somebody sets the clock. Tests bring their own. */
export interface Clock {
  /** What the wall says, in milliseconds since 1970. It may jump. */
  wallMs(): number;
  /** How long it has been, in milliseconds since whenever. It never goes back. */
  steadyMs(): number;
  sleep(ms: number): Promise<void>;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  steadyMs: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

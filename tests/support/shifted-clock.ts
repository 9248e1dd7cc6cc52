/** Loaded before a server whose machine has a wrong clock: everything in the process that asks for the time is off. */
const aheadMs = Number(process.env.TEST_CLOCK_AHEAD_MS ?? 0);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given: [] | [value: number | string | Date]) {
    if (given.length === 0) super(RealDate.now() + aheadMs);
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + aheadMs;
  }
} as DateConstructor;

export {};

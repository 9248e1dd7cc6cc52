/** Preloaded into a server to simulate a wrong clock in all its threads. */
import { createRequire } from "node:module";

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

// A worker does not preload the modules of its process.
const threads = createRequire(import.meta.url)("node:worker_threads");
threads.Worker = class extends threads.Worker {
  constructor(file: unknown, options: object = {}) {
    super(file, { ...options, preload: [import.meta.path] });
  }
};

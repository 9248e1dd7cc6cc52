import { runWorker, type ThreadCalls } from "../../../apps/server/base/worker-thread.ts";

export interface CallingWorker {
  double(number: number): Promise<number>;
  fail(reason: string): Promise<never>;
  exit(): Promise<never>;
  stop(): Promise<void>;
}

export interface Creator {
  add(number: number): number;
  stopped(by: string): void;
}

/** Calls its creator for every result, which proves that both threads can call each other. */
await runWorker(
  async (_settings: null, creator: ThreadCalls<Creator>): Promise<CallingWorker> => ({
    double: (number) => creator.request("add", number),
    fail: (reason) => Promise.reject(new Error(reason)),
    exit: () => process.exit(1),
    stop: async () => creator.notify("stopped", "request"),
  }),
);

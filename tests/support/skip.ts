import { test } from "bun:test";

/** Skips a test that cannot run here and prints the reason, because a silent skip looks like a pass. */
export function skipWithReason(name: string, reason: string): void {
  process.stdout.write(`SKIPPED: ${name}: ${reason}\n`);
  test.skip(name, () => {});
}

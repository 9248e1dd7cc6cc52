import { expect, test } from "bun:test";
import { attemptDelaysMs, nextAttemptAtMs, nextProbeAtMs, probedForMs } from "./delivery.ts";

const s = 1_000;
const h = 3_600 * s;
const nowMs = 1_900_000_000_000;

const delaysMs = [0, 5 * s, 300 * s, 1_800 * s, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * h)];
test.each([...delaysMs.entries()])(
  "after %d attempts the next comes %d ms later, or up to a fifth more",
  (attempts, delayMs) => {
    expect(nextAttemptAtMs(attempts, nowMs, 0)).toBe(nowMs + delayMs);
    expect(nextAttemptAtMs(attempts, nowMs, 0.5)).toBe(nowMs + delayMs * 1.1);
    expect(nextAttemptAtMs(attempts, nowMs, 1)).toBe(nowMs + delayMs * 1.2);
  },
);

test("after ten attempts nothing more is tried", () => {
  expect(attemptDelaysMs).toHaveLength(10);
  expect(nextAttemptAtMs(10, nowMs, 0)).toBeNull();
});

test.each([
  [0, 1],
  [23, 1],
  [24, 6],
  [100, 6],
])("after %d probes the next comes %d hours later, or up to a fifth more", (probes, hours) => {
  const disabled = { probes, disabledAtMs: nowMs };
  expect(nextProbeAtMs(disabled, nowMs, 0)).toBe(nowMs + hours * h);
  expect(nextProbeAtMs(disabled, nowMs, 1)).toBe(nowMs + hours * h * 1.2);
});

test("a disabled endpoint is tried for 30 days, about 140 times at most", () => {
  let probes = 0;
  for (let atMs: number | null = nowMs; atMs !== null; probes += 1) {
    expect(atMs).toBeLessThanOrEqual(nowMs + probedForMs);
    atMs = nextProbeAtMs({ probes, disabledAtMs: nowMs }, atMs, 0);
  }
  expect(probes).toBe(141);
});

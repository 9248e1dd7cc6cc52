import { type Check, ok, problem, warning } from "./check.ts";

/** Earlier than the first release, or implausibly late: certificates, expiry and quota days would all be wrong. */
const plausibleYears = { first: 2025, last: 2099 };
const oldestBun = [1, 4] as const;

export function checkRuntime(versions: Readonly<Record<string, string | undefined>>): Check {
  const bun = versions.bun;
  if (bun === undefined) {
    return problem(
      "runtime",
      "This is not running on Bun.",
      "Start it with npm start or npm run countersign.",
    );
  }
  const [major = 0, minor = 0] = bun.split(".").map(Number);
  const current = major > oldestBun[0] || (major === oldestBun[0] && minor >= oldestBun[1]);
  return current
    ? ok("runtime", `Bun ${bun}, compatible with Node.js ${versions.node}.`)
    : warning(
        "runtime",
        `Bun ${bun} is older than ${oldestBun.join(".")}, which this release is tested with.`,
        "Run npm ci.",
      );
}

export function checkYear(nowMs: number): Check {
  const now = new Date(nowMs);
  const year = now.getUTCFullYear();
  return year >= plausibleYears.first && year <= plausibleYears.last
    ? ok("clock", `This machine's clock is at ${now.toISOString()}.`)
    : problem("clock", `This machine's clock is in the year ${year}.`, "Set its clock, preferably with NTP.");
}

const tolerableMs = 2_000;
const intolerableMs = 60_000;

/** Expiry and quota days follow the database's clock; log lines and sessions follow this machine's. */
export function checkClockDifference(aheadMs: number): Check {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  const found = `The database's clock is ${seconds} seconds ${aheadMs < 0 ? "behind" : "ahead of"} this machine's.`;
  const action = "Synchronize both clocks with NTP.";
  if (Math.abs(aheadMs) <= tolerableMs) return ok("clock", "The database's clock and this machine's agree.");
  return Math.abs(aheadMs) <= intolerableMs
    ? warning("clock", found, action)
    : problem("clock", found, action);
}

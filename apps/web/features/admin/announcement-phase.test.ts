import { expect, test } from "bun:test";
import { phaseOf } from "./announcement-phase.ts";

test("an announcement is shown from its start until its end", () => {
  const starts_at = "2030-01-01T00:00:00.000Z";
  const ends_at = "2030-01-02T00:00:00.000Z";
  const phases = (...times: string[]) =>
    times.map((time) => phaseOf({ starts_at, ends_at }, Date.parse(time)));
  expect(phases("2029-12-31T23:59:59.999Z", starts_at)).toEqual(["planned", "shown"]);
  expect(phases("2030-01-01T23:59:59.999Z", ends_at)).toEqual(["shown", "over"]);
  expect(phaseOf({ starts_at, ends_at: null }, Date.UTC(2090))).toBe("shown");
});

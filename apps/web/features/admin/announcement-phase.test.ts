import { expect, test } from "bun:test";
import { phaseOf } from "./announcement-phase.ts";

test("an announcement is shown from its start until its end", () => {
  const starts_at = "2030-01-01T00:00:00.000Z";
  const ends_at = "2030-01-02T00:00:00.000Z";
  const at = (time: string, ends: string | null = ends_at) =>
    phaseOf({ starts_at, ends_at: ends }, Date.parse(time));
  expect(at("2029-12-31T23:59:59.999Z")).toBe("planned");
  expect(at(starts_at)).toBe("shown");
  expect(at("2030-01-01T23:59:59.999Z")).toBe("shown");
  expect(at(ends_at)).toBe("over");
  expect(at("2090-01-01T00:00:00.000Z", null)).toBe("shown");
});

import { expect, test } from "bun:test";
import { bodyOf, maxBodyBytes } from "./request.ts";

const about = { organization_id: "o", product_id: null, license_id: null };
const updated = { id: "event", ...about, type: "license.updated", at: Date.UTC(2026, 0, 2) } as const;
const eventWith = (data: object) => ({ ...updated, data: JSON.stringify(data) });
const license = { id: "1", metadata: { a: "x".repeat(15_000) }, notes: "y".repeat(9_000), max_ips: 3 };
const changed = ["notes", "max_ips"];
const previous = { notes: "z".repeat(12_000), metadata: { a: "x".repeat(9_000) } };
const short = { license: { id: "1" } };
const withoutTexts = { license: { id: "1", max_ips: 3 }, truncated: true };

test.each([
  ["as it was recorded if it fits", short, short],
  ["without the free-form fields of the license if it is larger than 20 KB", { license }, withoutTexts],
  // Nor the previous values.
  ["without the license if it is too large", { license, changed, previous }, { changed, truncated: true }],
])("the data of an event is sent %s", (_, recorded, sent) => {
  const body = bodyOf(eventWith({ organization_id: "o", ...recorded }), "standard");
  expect(body.length).toBeLessThanOrEqual(maxBodyBytes);
  const timestamp = "2026-01-02T00:00:00.000Z";
  const complete = { type: "license.updated", timestamp, data: { organization_id: "o", ...sent } };
  expect(JSON.parse(body)).toEqual(complete);
});

test("Discord and Slack get messages in their own formats", () => {
  const event = eventWith({ organization_id: "o" });
  expect(JSON.parse(bodyOf(event, "discord")).embeds).toHaveLength(1);
  expect(JSON.parse(bodyOf(event, "slack")).blocks[0].type).toBe("header");
});

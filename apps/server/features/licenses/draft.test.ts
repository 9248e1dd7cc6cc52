import { expect, test } from "bun:test";
import type { ProductRow } from "@countersign/store/tables";
import { readDrafts } from "./draft.ts";

test("identical licenses are checked once, however many there are", () => {
  let looked = 0;
  const override = Object.defineProperty({}, "plan", {
    enumerable: true,
    get: () => {
      looked += 1;
      return "pro";
    },
  });
  const input = { customer_email: "ada@example.com", custom_override: override };
  const product = { default_max_ips: 1, default_ip_system_enabled: 1, default_expires_in_days: null };
  const drafts = readDrafts(Array(1_000).fill(input), () => "", product as ProductRow, "UTC", 0);
  expect(drafts).toHaveLength(1_000);
  expect(drafts[999]?.customOverride).toBe('{"plan":"pro"}');
  expect(looked).toBeLessThan(5);
});

import { expect, test } from "bun:test";
import type { EventRow } from "@countersign/store/tables/events";
import { HeldLicenses } from "./held-licenses.ts";

const [ada, bob] = ["ada", "bob"].map((id) => ({ global_customer_id: id }));
/** Ada's until 100, then Bob's. */
const heldBy = (customerId: string) => {
  const held = new HeldLicenses(new Set([customerId]));
  const untilMs = Number.MAX_SAFE_INTEGER;
  const tenure = customerId === "ada" ? { sinceMs: 0, untilMs: 100 } : { sinceMs: 100, untilMs };
  held.add("license", [tenure], { isPresent: customerId === "bob" });
  return held;
};
const event = (at: number, data: object) =>
  ({
    id: "01",
    type: "license.updated",
    license_id: "license",
    product_id: "p",
    at,
    data: JSON.stringify(data),
  }) as EventRow;
const dataOf = (customerId: string, row: EventRow) =>
  heldBy(customerId)
    .events([row])
    .map((shown) => (shown as { data: object }).data);

const transfer = (from: object | undefined, to: object | undefined) => ({
  transfer: { from, to, message: "m" },
});

test.each<[what: string, row: EventRow, ofAda: object[], ofBob: object[]]>([
  ["of the time of the first", event(50, { ip: 1, license: ada }), [{ ip: 1, license: ada }], []],
  ["of the time of the second", event(101, { license: bob }), [], [{ license: bob }]],
  [
    "that gave it to the second",
    event(100, { previous: ada, license: bob }),
    [{ previous: ada }],
    [{ license: bob }],
  ],
  ["that was sent after it changed hands", event(99, { ip: 1, license: bob }), [{ ip: 1 }], []],
  [
    "of a transfer",
    event(99, { ...transfer(ada, bob), license: bob }),
    [{ transfer: { from: ada, message: "m" } }],
    [{ transfer: { to: bob }, license: bob }],
  ],
])("an event %s shows each customer of a license only what is about them", (_, row, ofAda, ofBob) => {
  expect([dataOf("ada", row), dataOf("bob", row)]).toEqual([ofAda, ofBob]);
});

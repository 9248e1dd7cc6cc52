import { describe, expect, test } from "bun:test";
import type { JournalEntry } from "@countersign/store/journal";
import { journalEntry } from "../../../../tests/support/request-log.ts";
import { FoldedEntries } from "./folded-entries.ts";

const noon = Date.UTC(2026, 10, 17, 12);

function folding() {
  const logged: JournalEntry[] = [];
  const folded = new FoldedEntries((entry) => logged.push(entry));
  const add = (values: Parameters<typeof journalEntry>[0]) => folded.add(journalEntry(values));
  /** The second of the minute, the ID, the IP address and the number of requests of each. */
  const rows = () => logged.map(({ at, id, ip, count }) => [(at - noon) / 1_000, id, ip, count]);
  return { folded, add, rows, logged };
}

describe("requests beyond the daily limit", () => {
  const limited = (second: number, id: string, values: object = {}) => {
    const at = noon + second * 1_000;
    return { at, id, status: "rate_limit_exceeded", ip: `192.0.2.${second % 250}`, ...values };
  };

  test("the first limited request of a minute is logged at once, and the rest as one entry with the second ID", () => {
    const { add, rows, folded } = folding();
    for (const second of [5, 6, 7, 50]) add(limited(second, `r${second}`));
    expect(rows()).toEqual([[5, "r5", "192.0.2.5", 1]]);
    add(limited(61, "r61"));
    expect(rows().slice(1)).toEqual([
      [59.999, "r6", "192.0.2.6", 3],
      [61, "r61", "192.0.2.61", 1],
    ]);
    folded.flush(noon + 61_000);
    expect(rows()).toHaveLength(3);
  });

  test("limited requests are counted separately for each product and endpoint", () => {
    const { add, rows, folded } = folding();
    for (const id of ["1", "2"]) {
      add(limited(1, `a${id}`, { product_id: "a" }));
      add(limited(1, `b${id}`, { product_id: "b" }));
      add(limited(1, `l${id}`, { product_id: "a", endpoint: "lookup" }));
    }
    folded.flush(noon + 2_000);
    expect(rows().map(([, id]) => id)).toEqual(["a1", "b1", "l1", "a2", "b2", "l2"]);
  });

  test("a server that stops logs the limited requests that it counted, with the current time", () => {
    const { add, rows, folded } = folding();
    for (const second of [5, 6, 7]) add(limited(second, `r${second}`));
    folded.flush(noon + 9_000);
    expect(rows().at(-1)).toEqual([9, "r6", "192.0.2.6", 2]);
  });

  test("any number of products takes bounded memory, and no request is lost", () => {
    const { add, logged, folded } = folding();
    for (let product = 0; product < 30_000; product++)
      for (const id of ["1", "2", "3"]) add(limited(1, id, { product_id: `p${product}` }));
    folded.flush(noon + 2_000);
    expect(logged.reduce((sum, entry) => sum + entry.count, 0)).toBe(90_000);
    expect(logged.length).toBeLessThan(61_000);
  });
});

test("sandbox requests are logged one by one up to 600 a minute and product, then by endpoint and outcome", () => {
  const { add, logged, folded } = folding();
  const send = (count: number, values: object) => {
    for (let index = 0; index < count; index++) add({ at: noon, sandbox: 1, ...values });
  };
  send(300, { status: "active" });
  send(500, { status: "expired" });
  send(70, { status: "active" });
  send(5, { status: "active", product_id: "another" });
  folded.flush(noon + 1_000);
  expect(logged.slice(0, 600).every((entry) => entry.count === 1)).toBe(true);
  expect(logged.slice(605).map((entry) => [entry.status, entry.count, entry.sandbox])).toEqual([
    ["expired", 200, 1],
    ["active", 70, 1],
  ]);
});

test("requests that are neither limited nor of the sandbox are not folded", () => {
  const { folded } = folding();
  expect(folded.concerns(journalEntry({}))).toBe(false);
  expect(folded.concerns(journalEntry({ status: "rate_limit_exceeded" }))).toBe(true);
  expect(folded.concerns(journalEntry({ sandbox: 1 }))).toBe(true);
});

import { expect } from "bun:test";
import { licensesOf } from "./licenses.ts";
import type { ManageAnswer } from "./manage-client.ts";
import type { ManageFixture, Person } from "./manage-fixture.ts";
import { until } from "./until.ts";

export const csv = { "content-type": "text/csv" };
export const jsonLines = { "content-type": "application/x-ndjson" };

/** A CSV file of these rows, with cells quoted where necessary. */
export function csvFile(
  header: readonly string[],
  ...rows: readonly (readonly (string | number | null)[])[]
): string {
  const cell = (value: string | number | null) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** Uploads a file and waits until the import is finished. */
export async function importFile(
  fixture: ManageFixture,
  file: string,
  query = "",
  options: { type?: Record<string, string>; productId?: string; as?: Person } = {},
): Promise<ManageAnswer["body"]> {
  const { type = csv, productId = fixture.productId, as = fixture.owner } = options;
  const sent = await as.api.send("POST", `/products/${productId}/licenses/import${query}`, file, type);
  expect(sent.status, sent.text).toBe(202);
  return finishedImport(fixture, sent.body.id, productId);
}

export async function finishedImport(
  fixture: ManageFixture,
  id: string,
  productId = fixture.productId,
): Promise<ManageAnswer["body"]> {
  let job: ManageAnswer["body"] = {};
  await until(
    "the import is finished",
    async () => {
      job = (await fixture.owner.api.get(`/products/${productId}/imports/${id}`)).body;
      return job.finished_at !== null;
    },
    60_000,
  );
  return job;
}

/** The ID of a new product. */
export async function newProduct(fixture: ManageFixture, settings: object = {}): Promise<string> {
  return (await licensesOf(fixture).newProduct(settings)).id;
}

/** The licenses of a product as exported, by key. */
export async function exported(
  fixture: ManageFixture,
  productId: string,
): Promise<Map<string, Record<string, unknown>>> {
  const answer = await fixture.owner.api.get(
    `/organizations/${fixture.organizationId}/licenses/export?format=jsonl&product_id=${productId}`,
  );
  const records: Record<string, unknown>[] = answer.text
    .split("\n")
    .flatMap((line) => (line === "" ? [] : JSON.parse(line)));
  return new Map(records.map((record) => [String(record.license_key), record]));
}

import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import type { DatabaseLocation } from "@countersign/store/databases/open";
import { licenseRow, tagRows } from "@countersign/store/queries/licenses/create";
import { newId, openTestOrganization } from "../tests/support/test-organization.ts";
import { createManagementAccess, type ManagementAccess } from "./management-load.ts";

const timeoutMs = 600_000;

/** Imports a CSV file of licenses, and returns the seconds from its first byte to the end of the import. */
export async function importSeconds(port: number, access: ManagementAccess, csv: string): Promise<number> {
  const startedMs = performance.now();
  const base = `http://127.0.0.1:${port}/api/manage/v1/products/${access.productId}`;
  const headers = { authorization: `Bearer ${access.token}` };
  const response = await fetch(`${base}/licenses/import`, {
    method: "POST",
    headers: { ...headers, "content-type": "text/csv" },
    body: csv,
  });
  const { id } = (await response.json()) as { id: string };
  for (;;) {
    const job = (await (await fetch(`${base}/imports/${id}`, { headers })).json()) as {
      state: string;
      failure: { message: string } | null;
    };
    if (job.state === "finished") return (performance.now() - startedMs) / 1_000;
    if (job.state === "failed") throw new Error(`The import failed: ${job.failure?.message}`);
    if (performance.now() - startedMs > timeoutMs)
      throw new Error(`The import did not finish within ${timeoutMs / 1_000} seconds.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

interface TimedQuery {
  readonly query: string;
  readonly ms: number;
}

/** Sends each list query several times, in sequence, and returns how long every response took. */
export async function timeQueries(
  port: number,
  access: ManagementAccess,
  queries: readonly string[],
  times: number,
): Promise<TimedQuery[]> {
  const list = `http://127.0.0.1:${port}/api/manage/v1/organizations/${access.organizationId}/licenses`;
  const timed: TimedQuery[] = [];
  for (let round = 0; round < times; round++) {
    for (const query of queries) {
      const startedMs = performance.now();
      const response = await fetch(`${list}?limit=50&${query}`, {
        headers: { authorization: `Bearer ${access.token}` },
      });
      await response.text();
      if (!response.ok) throw new Error(`${query} returned ${response.status}.`);
      timed.push({ query, ms: performance.now() - startedMs });
    }
  }
  return timed;
}

/** Waits until all licenses are in the text index. */
export async function untilIndexed(folder: string): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    try {
      const database = new DatabaseSync(`${folder}/search.db`, { readOnly: true });
      const state = database.prepare("select made_to from license_search_state").get();
      database.close();
      if (state?.made_to === null) return;
    } catch {
      // The index does not exist yet, or is being created.
    }
    if (performance.now() - startedMs > timeoutMs)
      throw new Error(`The text index was not complete within ${timeoutMs / 1_000} seconds.`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const dayMs = 86_400_000;
const batchSize = 5_000;
const notes = ["Renewal by invoice", "Team of five", "Paid by card", "Trial, requested a quote", ""];
const tags = ["gold", "silver", "reseller", "beta", "education"];

/** Creates an organization with realistic licenses: different notes, tags and dates, some revoked, some used. */
export async function seedVariedLicenses(
  location: DatabaseLocation,
  licenses: number,
): Promise<ManagementAccess> {
  const seller = await openTestOrganization(location);
  const nowMs = Date.now();
  for (let start = 0; start < licenses; start += batchSize) {
    const batch = Array.from({ length: Math.min(batchSize, licenses - start) }, (_, index) =>
      licenseAt(start + index, licenses, nowMs),
    ).map((license) => ({
      ...license,
      organizationId: seller.organizationId,
      productId: seller.productId,
      customerId: null,
    }));
    await seller.store.transaction(async (db) => {
      await seller.store.bulk.insert(
        db,
        "licenses",
        batch.map((license) => licenseRow(license, nowMs)),
      );
      await seller.store.bulk.insert(db, "license_tags", batch.flatMap(tagRows));
    }, "soon");
  }
  const access = await createManagementAccess(seller.store, seller.organizationId, seller.productId);
  await seller.store.close();
  return access;
}

function licenseAt(index: number, total: number, nowMs: number) {
  const key = generateLicenseKey(randomBytes);
  const email = `person.${index}@customer-${index % 5_000}.example`;
  const note = notes[index % notes.length] ?? "";
  const tag = tags[(index * 7) % tags.length] ?? "gold";
  const createdAtMs = nowMs - Math.floor(((total - index) / total) * 700) * dayMs - (index % 86_400) * 1_000;
  return {
    id: newId(),
    key,
    notes: note === "" ? null : `${note} ${index}`,
    tags: index % 5_000 === 0 ? [tag, "rare"] : [tag],
    createdAtMs,
    expiresAtMs: index % 3 === 0 ? null : createdAtMs + (365 + (index % 500)) * dayMs,
    revokedAtMs: index % 97 === 0 ? nowMs : null,
    firstUsedAtMs: index % 4 === 0 ? null : createdAtMs,
    searchText: [key, email, `Person Number ${index}`, `${note} ${index}`, tag]
      .join("\n")
      .toLowerCase()
      .replaceAll("-", ""),
  };
}

/** Typical queries of the license list. */
export function listQueries(licenses: number): string[] {
  const at = (share: number) => Math.floor(licenses * share);
  return [
    "",
    "sort=created_at&order=desc",
    "sort=created_at&order=asc",
    "sort=expires_at",
    "sort=updated_at&order=desc",
    "status=active",
    "status=revoked",
    "status=expired",
    "status=expired&sort=expires_at&order=asc",
    "expires_within_days=7",
    "expires_within_days=30&sort=expires_at&order=asc",
    "never_used=true",
    "never_used=true&status=active&sort=expires_at",
    "min_ips=2",
    "has_notes=true",
    "tag=gold",
    "tag=rare",
    "tag=gold&status=revoked",
    `q=person.${at(0.4)}%40`,
    `q=${at(0.7)}`,
    `q=customer-${at(0.001)}.example`,
    `q=number+${at(0.9)}`,
    "q=invoice",
    "q=invoice&sort=expires_at",
    "q=renewal&status=revoked",
    "q=example&sort=updated_at&order=desc",
    "q=gold&sort=created_at&order=asc",
    "q=team+of+five+12",
    "q=card+99",
    "q=reseller&never_used=true",
    "q=invoice+team",
    "q=no+license+has+this",
    "q=zzz",
  ];
}

/** Queries with an exact count: one that the database stores, or one that it has to determine. */
export const countQueries = {
  stored: [
    "",
    "status=active",
    "status=expired",
    "status=revoked",
    "expires_within_days=30",
    "never_used=true",
    "never_used=false&status=active",
    "has_notes=true",
  ].map((filter) => `count=true&${filter}`),
  counted: ["tag=gold", "tag=gold&status=revoked", "min_ips=2", "q=invoice", "q=example"].map(
    (filter) => `count=true&${filter}`,
  ),
};

/** A CSV file of licenses to import, with typical columns. */
export function licenseCsv(rows: number): string {
  const lines = ["license_key,customer_email,customer_name,expires_at,max_ips,notes"];
  for (let index = 0; index < rows; index++) {
    const day = String(1 + (index % 28)).padStart(2, "0");
    lines.push(
      `${generateLicenseKey(randomBytes)},person.${index}@customers.example,Person Number ${index},2031-03-${day}T00:00:00Z,${1 + (index % 5)},"Order ${index}, by hand"`,
    );
  }
  return `${lines.join("\n")}\n`;
}

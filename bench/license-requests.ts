import { DatabaseSync } from "node:sqlite";
import type { ManagementAccess } from "./management-load.ts";

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

export interface TimedQuery {
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

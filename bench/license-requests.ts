import { DatabaseSync } from "node:sqlite";
import type { Desk } from "./manage.ts";

const patienceMs = 600_000;

/** Sends a file of licenses and returns how many seconds went by from its first byte to the end of the import. */
export async function importSeconds(port: number, desk: Desk, file: string): Promise<number> {
  const startedMs = performance.now();
  const base = `http://127.0.0.1:${port}/api/manage/v1/products/${desk.productId}`;
  const headers = { authorization: `Bearer ${desk.token}` };
  const sent = await fetch(`${base}/licenses/import`, {
    method: "POST",
    headers: { ...headers, "content-type": "text/csv" },
    body: file,
  });
  const { id } = (await sent.json()) as { id: string };
  for (;;) {
    const job = (await (await fetch(`${base}/imports/${id}`, { headers })).json()) as {
      state: string;
      problem: string | null;
    };
    if (job.state === "finished") return (performance.now() - startedMs) / 1_000;
    if (job.state === "failed") throw new Error(`The import failed: ${job.problem}`);
    if (performance.now() - startedMs > patienceMs) throw new Error("The import does not end.");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface Asked {
  readonly question: string;
  readonly ms: number;
}

/** Asks each of these several times, one after the other, and returns how long every answer took. */
export async function ask(
  port: number,
  desk: Desk,
  questions: readonly string[],
  times: number,
): Promise<Asked[]> {
  const list = `http://127.0.0.1:${port}/api/manage/v1/organizations/${desk.organizationId}/licenses`;
  const asked: Asked[] = [];
  for (let round = 0; round < times; round++) {
    for (const question of questions) {
      const startedMs = performance.now();
      const answer = await fetch(`${list}?limit=50&${question}`, {
        headers: { authorization: `Bearer ${desk.token}` },
      });
      await answer.text();
      if (!answer.ok) throw new Error(`${question} was answered with ${answer.status}.`);
      asked.push({ question, ms: performance.now() - startedMs });
    }
  }
  return asked;
}

/** Until all licenses are in the text index. */
export async function untilIndexed(folder: string): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    try {
      const database = new DatabaseSync(`${folder}/search.db`, { readOnly: true });
      const state = database.prepare("select made_to from license_search_state").get();
      database.close();
      if (state?.made_to === null) return;
    } catch {
      // It is not there yet, or just being made.
    }
    if (performance.now() - startedMs > patienceMs) throw new Error("The text index does not come to rest.");
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

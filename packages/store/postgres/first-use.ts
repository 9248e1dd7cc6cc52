import type pg from "pg";
import type { Judged } from "../calls.ts";
import * as sql from "./sql.ts";

/** Writes down first uses. Where another node was quicker, the term runs from its moment, and that is what is told. */
export async function startTerms(client: pg.Client, judged: Judged[], nowMs: number): Promise<void> {
  const ids = new Set<string>();
  for (const answer of judged) {
    if (answer.tag === "validated" && answer.verdict.firstUse && answer.license) ids.add(answer.license.id);
  }
  if (ids.size === 0) return;
  const licenses = [...ids].join(sql.separator);
  const [, , , , found] = await Promise.all([
    client.query({ name: "begin", text: "begin" }),
    client.query(sql.waitForDisk),
    client.query({ ...sql.firstUse, values: [licenses, nowMs] }),
    client.query({ name: "commit", text: "commit" }),
    client.query<{ id: string; expires_at: number | null }>({ ...sql.expiries, values: [licenses] }),
  ]);
  const expiries = new Map(found.rows.map((row) => [row.id, row.expires_at]));
  judged.forEach((answer, place) => {
    if (answer.tag !== "validated" || !answer.verdict.firstUse || answer.license?.unused?.termMs == null)
      return;
    const expiresAtMs = expiries.get(answer.license.id) ?? answer.verdict.expiresAtMs;
    judged[place] = { ...answer, verdict: { ...answer.verdict, expiresAtMs } };
  });
}

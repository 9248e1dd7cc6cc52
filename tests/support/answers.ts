import { expect } from "bun:test";
import type { ManageAnswer, ManageClient } from "./manage-client.ts";

interface Answer {
  readonly status: number;
  readonly body: { readonly code?: string; readonly errors?: readonly { readonly field: string }[] };
}

/** The status and the code of a refusal. */
export function problemOf({ status, body }: Answer): [status: number, code: string | undefined] {
  return [status, body.code];
}

/** The status of a refusal, and all fields that it names, sorted. */
export function refusedFields({ status, body }: Answer): [status: number, ...fields: string[]] {
  return [status, ...(body.errors ?? []).map(({ field }) => field).sort()];
}

/** The sorted statuses of the answers to requests that are sent at the same time. */
export async function statusesAtOnce(
  count: number,
  send: (index: number) => Promise<{ readonly status: number }>,
): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  return answers.map(({ status }) => status).sort();
}

/** The rows of all pages of a list, of two each unless the path says more. */
export async function allRows<Row = ManageAnswer["body"]>(api: ManageClient, path: string): Promise<Row[]> {
  const url = new URL(path, "http://list");
  if (!url.searchParams.has("limit")) url.searchParams.set("limit", "2");
  const rows: Row[] = [];
  for (let cursor = ""; ; ) {
    if (cursor !== "") url.searchParams.set("cursor", cursor);
    const { status, text, body } = await api.get(url.pathname + url.search);
    expect(status, text).toBe(200);
    rows.push(...body.data);
    if (body.next_cursor === null) return rows;
    cursor = body.next_cursor;
  }
}

import type { Database } from "@countersign/store/store";
import type { Context, PersonContext } from "../../api/context.ts";
import { containsTerm, type SearchedList, searchPage } from "../../api/search.ts";
import type { Problem } from "../../http/problem.ts";
import { asPlatform, audit, difference } from "../audit-log/record.ts";

/** What users and organizations have in common for the operator, who lists, changes and suspends both. */
interface Suspendable {
  readonly id: string;
  readonly name: string;
  readonly created_at: string | number;
  readonly suspended_at: number | null;
  readonly suspension_reason: string | null;
}

interface ListQuery {
  readonly q?: string | undefined;
  readonly suspended?: boolean | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A page of those that match the search term and the filters, of which undefined ones are not applied. */
export async function listSuspendable<Row extends Suspendable>(
  query: ListQuery,
  list: Pick<SearchedList<Row, Row["created_at"]>, "kindOfTime" | "startingWith" | "newest" | "textOf"> & {
    /** The texts in which the term can occur anywhere. */
    readonly textsOf: (row: Row) => readonly (string | null)[];
  },
  filters: readonly { readonly wanted: unknown; readonly of: (row: Row) => unknown }[],
): Promise<{ rows: Row[]; next_cursor: string | null }> {
  const term = query.q === undefined || query.q === "" ? null : query.q.toLowerCase();
  const applied = [
    ...filters,
    { wanted: query.suspended, of: (row: Row) => row.suspended_at !== null },
  ].filter(({ wanted }) => wanted !== undefined);
  return searchPage<Row, Row["created_at"]>(
    {
      ...list,
      timeOf: (row) => row.created_at,
      idOf: (row) => row.id,
      isMeant: (row) =>
        applied.every(({ wanted, of }) => wanted === of(row)) &&
        (term === null || containsTerm(list.textsOf(row), term) || row.id === term),
    },
    { term, isFiltered: applied.length > 0, cursor: query.cursor, limit: query.limit },
  );
}

export interface SuspendableKind<Row, Shown> {
  readonly kind: "user" | "organization";
  readonly missing: () => Problem;
  lock(db: Database, id: string): Promise<Row | undefined>;
  write(db: Database, context: PersonContext, row: Row, changes: Partial<Row>): Promise<void>;
  details(db: Database, id: string, context: PersonContext): Promise<Shown>;
}

/** Applies what `changesOf` returns and records it; does nothing if nothing changes. */
export async function changeSuspendable<Row extends Suspendable, Shown>(
  context: PersonContext,
  { kind, missing, lock, write, details }: SuspendableKind<Row, Shown>,
  id: string,
  action: string,
  changesOf: (row: Row) => Partial<Row>,
): Promise<Shown> {
  return context.transaction(async (db) => {
    const row = await lock(db, id);
    if (row === undefined) throw missing();
    const changes = changesOf(row);
    const changed = difference(row, changes);
    if (Object.keys(changed.after).length > 0) {
      await write(db, context, row, changes);
      await audit(db, asPlatform(context), {
        action,
        subject: { kind, id, name: row.name },
        ...changed,
        // A change of an organization belongs to its own log too.
        ...(kind === "organization" ? { organizationId: id } : {}),
      });
    }
    return details(db, id, context);
  });
}

/** A second suspension changes the reason, not the time. */
export function suspension(row: Suspendable, context: Context, reason: string | null) {
  return { suspended_at: row.suspended_at ?? context.nowMs, suspension_reason: reason };
}

export const noSuspension = { suspended_at: null, suspension_reason: null };

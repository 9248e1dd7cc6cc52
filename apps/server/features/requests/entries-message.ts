import type { JournalEntry } from "@countersign/store/journal";
import type { logColumns } from "@countersign/store/request-log/tables";

/** An entry without the names of its members, because thousands a second are passed between threads. */
type EntryTuple = ValuesOf<readonly [...typeof logColumns, "tracked"]>;
type ValuesOf<Names extends readonly (keyof JournalEntry)[]> = {
  readonly [Index in keyof Names]: JournalEntry[Names[Index]];
};

/** Log entries as they pass from the validating thread to the journal thread. */
export function entriesMessage(entries: readonly JournalEntry[]): string {
  return JSON.stringify(entries.map(tupleOf));
}

export function entriesOf(message: string): JournalEntry[] {
  return (JSON.parse(message) as EntryTuple[]).map(entryOf);
}

function tupleOf(entry: JournalEntry): EntryTuple {
  return [
    entry.at,
    entry.id,
    entry.organization_id,
    entry.product_id,
    entry.license_id,
    entry.endpoint,
    entry.status,
    entry.ip,
    entry.version,
    entry.device_id,
    entry.problem,
    entry.duration_us,
    entry.count,
    entry.sandbox,
    entry.facts,
    entry.tracked,
  ];
}

function entryOf([at, id, organization_id, product_id, license_id, ...rest]: EntryTuple): JournalEntry {
  const [endpoint, status, ip, version, device_id, problem, duration_us, count, sandbox, facts, tracked] =
    rest;
  return {
    ...{ at, id, organization_id, product_id, license_id, endpoint, status, ip, version, device_id },
    ...{ problem, duration_us, count, sandbox, facts, tracked },
  };
}

import { type DatabaseLocation, openJournal } from "@countersign/store/databases/open";
import type { JournalDeletion } from "@countersign/store/journal";
import type { Journal } from "@countersign/store/store";
import { journalEntry } from "./request-log.ts";

export type TestJournal = Awaited<ReturnType<typeof openTestJournal>>;

/** A journal without its thread. */
export async function openTestJournal(location: DatabaseLocation) {
  const journal = await openJournal(location);
  return {
    journal,
    deleteOrganization: async (organizationId: string) => void (await deleteFromLog(journal, organizationId)),
    close: () => journal.close(),
  };
}

/** Adds requests to the log, and those that are tracked to the sightings of their IP addresses. */
export async function logRequests(
  location: DatabaseLocation,
  rows: readonly Parameters<typeof journalEntry>[0][],
): Promise<void> {
  const journal = await openJournal(location);
  await journal.append(rows.map((row) => journalEntry(row)));
  await journal.close();
}

/** Deletes everything that is logged of an organization. Returns the number of steps. */
export async function deleteFromLog(
  journal: Journal,
  organizationId: string,
  part: JournalDeletion["part"] = "sightings",
): Promise<number> {
  let steps = 0;
  let next: JournalDeletion | null = { organizationId, part, after: "" };
  for (; next !== null; steps++) next = await journal.deleteOrganization(next);
  return steps;
}

/** Closes all segments of the log that are old enough at this time. */
export async function closeSegments(journal: Journal, nowMs: number): Promise<void> {
  while ((await journal.closeSegment(nowMs)) > 0);
}

import type { JournalDeletion } from "@countersign/store/journal";
import { type DatabaseLocation, openJournal } from "@countersign/store/open";
import type { Journal } from "@countersign/store/store";

/** A journal without its thread. */
export interface TestJournal {
  readonly journal: Journal;
  deleteOrganization(organizationId: string): Promise<void>;
  close(): Promise<void>;
}

export async function openTestJournal(location: DatabaseLocation): Promise<TestJournal> {
  const journal = await openJournal(location);
  return {
    journal,
    deleteOrganization: async (organizationId) => void (await deleteFromLog(journal, organizationId)),
    close: () => journal.close(),
  };
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

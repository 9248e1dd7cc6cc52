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
    deleteOrganization: async (organizationId) => {
      let next: JournalDeletion | null = { organizationId, part: "sightings", after: "" };
      while (next !== null) next = await journal.deleteOrganization(next);
    },
    close: () => journal.close(),
  };
}

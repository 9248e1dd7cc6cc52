import type { Forgetting } from "@countersign/store/journal";
import { type DatabaseLocation, openJournal } from "@countersign/store/open";
import type { Journal } from "@countersign/store/store";

/** A journal without the thread that a server gives it. */
export interface TestJournal {
  readonly journal: Journal;
  forget(organizationId: string): Promise<void>;
  close(): Promise<void>;
}

export async function openTestJournal(location: DatabaseLocation): Promise<TestJournal> {
  const journal = await openJournal(location);
  return {
    journal,
    forget: async (organizationId) => {
      let next: Forgetting | null = { organizationId, part: "sightings", after: "" };
      while (next !== null) next = await journal.forget(next);
    },
    close: () => journal.close(),
  };
}

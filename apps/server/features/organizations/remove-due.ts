import {
  closeOrganization,
  finishRemoval,
  organizationsToRemove,
  removeSome,
} from "@countersign/store/queries/organization-removal";
import type { Store } from "@countersign/store/store";
import type { Chore } from "../../jobs/chores.ts";
import { auditWithout } from "../audit-log/record.ts";

/** Little enough that a verdict, which waits behind it on SQLite, does not wait long. */
const rowsAtATime = 200;
const everyMs = 5_000;

/** Removes organizations whose days of grace are over. */
export function organizationRemoval(store: Store): Chore {
  return { name: "organization removal", everyMs, run: () => removeDueOrganizations(store) };
}

/**
 * From the first transaction on the organization is gone for everyone. What it held goes after that, a little at a
 * time; a node that stops in the middle leaves the rest to the next, and several at once do no harm.
 */
export async function removeDueOrganizations(store: Store): Promise<void> {
  const nowMs = await store.clock();
  for (const { id, deleted_at: deletedAt } of await organizationsToRemove(store.reads, nowMs)) {
    if (deletedAt === null && !(await close(store, id, nowMs))) continue;
    while (await store.transaction((db) => removeSome(db, id, rowsAtATime))) await otherWork();
    await store.transaction((db) => finishRemoval(db, id));
  }
}

async function close(store: Store, id: string, nowMs: number): Promise<boolean> {
  return store.transaction(async (db) => {
    const organization = await closeOrganization(db, id, nowMs);
    if (organization === undefined) return false;
    await auditWithout(db, { kind: "system", name: "Countersign" }, nowMs, {
      action: "organization.deleted",
      subject: { kind: "organization", id, name: organization.name },
      before: { slug: organization.slug, owner_id: organization.owner_id },
      organizationId: id,
    });
    return true;
  });
}

function otherWork(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

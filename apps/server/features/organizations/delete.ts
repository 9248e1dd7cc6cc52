import * as contract from "@countersign/contract/manage/organizations";
import { dayMs } from "@countersign/domain/dates/lengths";
import { updateOrganization } from "@countersign/store/queries/organizations";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables";
import { type BoundRoute, bind } from "../../http/manage/bind.ts";
import { type Context, nextUpdatedAt, theActor, theStanding } from "../../http/manage/context.ts";
import { iso } from "../../http/manage/page.ts";
import { invalid } from "../../http/manage/problem.ts";
import { audit } from "../audit-log/record.ts";
import { writeLetter } from "../mail/letter.ts";
import { readerById } from "../mail/reader.ts";
import { takeOwnersTurn } from "../members/turn.ts";
import { deletionAskedLetter, deletionTakenBackLetter } from "./letters.ts";
import { showOwnOrganization } from "./show.ts";

/** How long a deletion can be taken back. */
export const deletionGraceMs = 14 * dayMs;

export const deletionRoutes: readonly BoundRoute[] = [
  bind(contract.deleteOrganization, async (context, { body }) => {
    return context.transaction(async (db) => {
      const organization = await takeOwnersTurn(db, context);
      if (body.confirm !== organization.slug)
        throw invalid("confirm", "not_the_slug", { slug: organization.slug });
      // A second request does not restart the grace period.
      const deleteAfter = organization.delete_after ?? context.nowMs + deletionGraceMs;
      return setDeleteAfter(db, context, organization, deleteAfter, "organization.deletion_requested");
    });
  }),

  bind(contract.restoreOrganization, async (context) => {
    return context.transaction(async (db) => {
      const organization = await takeOwnersTurn(db, context);
      return setDeleteAfter(db, context, organization, null, "organization.restored");
    });
  }),
];

async function setDeleteAfter(
  db: Database,
  context: Context,
  organization: OrganizationRow,
  deleteAfter: number | null,
  action: string,
) {
  const standing = theStanding(context);
  if (organization.delete_after === deleteAfter) return showOwnOrganization(organization, standing);
  const changes = {
    delete_after: deleteAfter,
    updated_at: nextUpdatedAt(context, organization.updated_at),
  };
  await updateOrganization(db, organization.id, changes);
  await audit(db, context, {
    action,
    subject: { kind: "organization", id: organization.id, name: organization.name },
    before: { delete_after: iso(organization.delete_after) },
    after: { delete_after: iso(deleteAfter) },
  });
  await tellOwner(db, context, organization, deleteAfter);
  return showOwnOrganization({ ...organization, ...changes }, standing);
}

/** Also if the owner did it: someone with their session or token would not tell them. */
async function tellOwner(
  db: Database,
  context: Context,
  organization: OrganizationRow,
  deleteAfterMs: number | null,
): Promise<void> {
  const owner = await readerById(db, organization.owner_id);
  if (owner === undefined) return;
  const by = theActor(context).name;
  const letter =
    deleteAfterMs === null
      ? deletionTakenBackLetter(owner, organization.name, by)
      : deletionAskedLetter(owner, {
          organization: organization.name,
          by,
          deleteAfterMs,
          url: context.config.url,
        });
  await writeLetter(db, letter, context.nowMs);
}

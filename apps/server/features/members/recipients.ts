import type { Permission } from "@countersign/domain/members/permissions";
import { membersOf } from "@countersign/store/queries/members/members";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { permissionSet } from "../../api/access.ts";
import { type Recipient, recipientById } from "../mail/email.ts";

/** In a larger organization, the owner and those who joined first know whom to ask. */
const maxMembersRead = 200;
const maxRecipients = 20;

/** The owner, and members who have one of these permissions; each once. */
export async function recipientsWith(
  db: Database,
  { id, owner_id }: Pick<OrganizationRow, "id" | "owner_id">,
  permissions: readonly Permission[],
): Promise<Recipient[]> {
  const members = await membersOf(db, id, { after: null, limit: maxMembersRead });
  const userIds = new Set([
    owner_id,
    ...members
      .filter(({ suspended_at }) => suspended_at === null)
      .filter(({ role_permissions }) => permissions.some((one) => permissionSet(role_permissions).has(one)))
      .map(({ user_id }) => user_id),
  ]);
  const recipients = await Promise.all(
    [...userIds].slice(0, maxRecipients).map((userId) => recipientById(db, userId)),
  );
  return recipients.filter((recipient) => recipient !== undefined);
}

import { sql } from "kysely";
import type { Database } from "../../store.ts";
import { unindexed } from "../conditions.ts";
import { type CustomerIdentifiers, identityOf } from "../customers/identify.ts";

/**
 * For a customer who is deleted: their finished transfers in the organization stay, without what identifies the
 * customer and without the message that they wrote. A pending transfer to them belongs to someone else, who wants to
 * give them a license, and stays as it is.
 */
export async function eraseFromTransfers(
  db: Database,
  organizationId: string,
  customer: { readonly id: string } & Pick<CustomerIdentifiers, "email" | "discordId">,
): Promise<void> {
  await db
    .updateTable("transfers")
    .set({ from_email: null, from_discord_id: null, from_name: null, message: null })
    .where(unindexed("organization_id"), "=", organizationId)
    .where("from_customer_id", "=", customer.id)
    .where("state", "!=", "pending")
    .execute();
  const received = db
    .updateTable("transfers")
    .set({ to_email: null, to_discord_id: null })
    .where("state", "!=", "pending");
  const inOrganization = unindexed("organization_id");
  await received
    .where("to_customer_id", "=", customer.id)
    .where(inOrganization, "=", organizationId)
    .execute();
  // Transfers that were not approved have no customer ID of the recipient.
  const { email, discord_id: discordId } = identityOf(customer);
  if (email !== null)
    await received
      .where("organization_id", "=", organizationId)
      .where(sql`lower(to_email)`, "=", email)
      .execute();
  if (discordId !== null)
    await received
      .where("to_discord_id", "=", discordId)
      .where(inOrganization, "=", organizationId)
      .execute();
}

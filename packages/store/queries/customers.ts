import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

export interface CustomerIdentifiers {
  readonly email: string | null;
  readonly discordId: string | null;
  readonly name: string | null;
}

/**
 * Finds or makes the customer that an organization writes on a license, and keeps what it wrote as its own view. The
 * e-mail decides who it is when there is one; a Discord id beside it stays in the view and joins nobody to anybody.
 */
export async function customerFor(
  db: Kysely<Tables>,
  organizationId: string,
  who: CustomerIdentifiers,
  newId: () => string,
  nowMs: number,
): Promise<string> {
  const email = who.email?.trim().toLowerCase() ?? null;
  const identifier =
    email !== null ? { email, discord_id: null } : { email: null, discord_id: who.discordId };
  await db
    .insertInto("customers")
    .values({ id: newId(), ...identifier, created_at: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { id } = await db
    .selectFrom("customers")
    .select("id")
    .where(email !== null ? "email" : "discord_id", "=", email ?? who.discordId)
    .executeTakeFirstOrThrow();
  const view = { email: who.email?.trim() ?? null, name: who.name, discord_id: who.discordId };
  await db
    .insertInto("organization_customers")
    .values({
      organization_id: organizationId,
      customer_id: id,
      ...view,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .onConflict((conflict) =>
      conflict.columns(["organization_id", "customer_id"]).doUpdateSet({ ...view, updated_at: nowMs }),
    )
    .execute();
  return id;
}

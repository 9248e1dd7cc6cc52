import type { Database } from "../../store.ts";
import type { CustomerRow } from "../../tables/licenses.ts";
import { type Identity, identityRow, lockPortalPeople, removeIfUnidentified } from "./people.ts";

/**
 * After customers were removed: what nobody has a customer for any more is removed from the portal as well, and people
 * who are left with nothing, with their sessions. Another organization's customer stays signed in.
 */
export async function removeUnknownIdentities(
  db: Database,
  removed: readonly Pick<CustomerRow, "email" | "discord_id">[],
): Promise<void> {
  const unknown: Identity[] = [];
  const owners: string[] = [];
  for (const identity of removed.flatMap(identitiesOf)) {
    if (await hasCustomer(db, identity)) continue;
    const owner = (await identityRow(db, identity))?.person_id;
    if (owner === undefined) continue;
    unknown.push(identity);
    owners.push(owner);
  }
  await lockPortalPeople(db, owners);
  for (const { kind, value } of unknown) {
    const { person_id: owner } =
      (await db
        .deleteFrom("portal_identities")
        .where("kind", "=", kind)
        .where("value", "=", value)
        .returning("person_id")
        .executeTakeFirst()) ?? {};
    if (owner !== undefined) owners.push(owner);
  }
  await removeIfUnidentified(db, owners);
}

async function hasCustomer(db: Database, { kind, value }: Identity): Promise<boolean> {
  const column = kind === "email" ? "email" : "discord_id";
  const row = await db.selectFrom("customers").select("id").where(column, "=", value).executeTakeFirst();
  return row !== undefined;
}

function identitiesOf(customer: Pick<CustomerRow, "email" | "discord_id">): Identity[] {
  const { email, discord_id: discordId } = customer;
  return [
    ...(email === null ? [] : [{ kind: "email" as const, value: email }]),
    ...(discordId === null ? [] : [{ kind: "discord" as const, value: discordId }]),
  ];
}

import type { Database } from "../../store.ts";
import type { CustomerRow } from "../../tables.ts";
import { type Identity, removeIfUnidentified } from "./people.ts";

/**
 * After customers were removed: what nobody has a customer for any more is removed from the portal as well, and people
 * who are left with nothing, with their sessions. Another organization's customer stays signed in.
 */
export async function removeUnknownIdentities(
  db: Database,
  removed: readonly Pick<CustomerRow, "email" | "discord_id">[],
): Promise<void> {
  const people: string[] = [];
  for (const { kind, value } of removed.flatMap(identitiesOf)) {
    const column = kind === "email" ? "email" : "discord_id";
    const other = await db.selectFrom("customers").select("id").where(column, "=", value).executeTakeFirst();
    if (other !== undefined) continue;
    const owned = await db
      .deleteFrom("portal_identities")
      .where("kind", "=", kind)
      .where("value", "=", value)
      .returning("person_id")
      .execute();
    people.push(...owned.map((row) => row.person_id));
  }
  await removeIfUnidentified(db, people);
}

function identitiesOf(customer: Pick<CustomerRow, "email" | "discord_id">): Identity[] {
  const { email, discord_id: discordId } = customer;
  return [
    ...(email === null ? [] : [{ kind: "email" as const, value: email }]),
    ...(discordId === null ? [] : [{ kind: "discord" as const, value: discordId }]),
  ];
}

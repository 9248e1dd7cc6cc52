import type { Database } from "../../store.ts";
import type { TransferRow } from "../../tables/portal.ts";
import { identityOf } from "../customers/identify.ts";

/** The recipient of a transfer as the organization knows them. */
export interface KnownTarget {
  readonly id: string;
  readonly name: string | null;
}

type Target = Pick<TransferRow, "to_email" | "to_discord_id">;

/** The recipient, if they are already a customer of the organization. */
export async function knownTarget(
  db: Database,
  organizationId: string,
  target: Target,
): Promise<KnownTarget | null> {
  return (await knownTargets(db, organizationId, [target])).get(keyOf(target)) ?? null;
}

/** The same for several transfers of an organization, by `keyOf`. */
export async function knownTargets(
  db: Database,
  organizationId: string,
  targets: readonly Target[],
): Promise<Map<string, KnownTarget>> {
  const found = new Map<string, KnownTarget>();
  const identities = targets.map(identity);
  for (const column of ["email", "discord_id"] as const) {
    const values = [...new Set(identities.flatMap((one) => one[column] ?? []))];
    if (values.length === 0) continue;
    const rows = await db
      .selectFrom("customers as c")
      .leftJoin("organization_customers as r", (join) =>
        join.onRef("r.customer_id", "=", "c.id").on("r.organization_id", "=", organizationId),
      )
      .select(["c.id", "c.email", "c.discord_id", "r.name"])
      .where("c.organization_id", "=", organizationId)
      .where(`c.${column}`, "in", values)
      .execute();
    for (const { id, name, ...who } of rows)
      found.set(keyOf({ to_email: who.email, to_discord_id: who.discord_id }), { id, name });
  }
  return found;
}

/** What identifies the recipient. */
export function keyOf(target: Target): string {
  const { email, discord_id: discordId } = identity(target);
  return email ?? `discord ${discordId}`;
}

function identity({ to_email: email, to_discord_id: discordId }: Target) {
  return identityOf({ email, discordId });
}

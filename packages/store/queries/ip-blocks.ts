import { type Kysely, sql } from "kysely";
import type { BlockTier, IpBlockRow, Tables } from "../tables.ts";

export interface NewIpBlock {
  readonly id: string;
  readonly scope: BlockScope;
  /** Canonical, as `formatCidr` writes it. */
  readonly cidr: string;
  readonly note: string | null;
  readonly expiresAtMs: number | null;
  readonly createdBy?: string | null;
}

/** Whom a block protects. A customer's or license's block belongs to one organization and is seen by no other. */
export type BlockScope =
  | { readonly tier: "platform" }
  | { readonly tier: "organization"; readonly organizationId: string }
  | { readonly tier: "customer"; readonly organizationId: string; readonly customerId: string }
  | { readonly tier: "license"; readonly organizationId: string; readonly licenseId: string };

/** Adds blocks of one scope, and marks the scope as changed in the same transaction. */
export async function addIpBlocks(db: Kysely<Tables>, blocks: readonly NewIpBlock[], nowMs: number) {
  for (let start = 0; start < blocks.length; start += 500) {
    const rows = blocks.slice(start, start + 500).map((block): IpBlockRow => {
      const { tier, organizationId, scopeId } = columns(block.scope);
      return {
        id: block.id,
        tier,
        organization_id: organizationId,
        scope_id: scopeId,
        cidr: block.cidr,
        note: block.note,
        expires_at: block.expiresAtMs,
        created_at: nowMs,
        created_by: block.createdBy ?? null,
      };
    });
    await db.insertInto("ip_blocks").values(rows).execute();
  }
  const counts = new Map<string, { scope: BlockScope; added: number }>();
  for (const { scope } of blocks) {
    const key = JSON.stringify(columns(scope));
    const known = counts.get(key);
    counts.set(key, { scope, added: (known?.added ?? 0) + 1 });
  }
  for (const { scope, added } of counts.values()) await markChanged(db, scope, added);
}

export async function removeIpBlock(db: Kysely<Tables>, id: string, scope: BlockScope) {
  const removed = await db.deleteFrom("ip_blocks").where("id", "=", id).executeTakeFirst();
  if (removed.numDeletedRows > 0n) await markChanged(db, scope, -1);
}

/** The hot path looks at a scope's blocks only when these say that there is something to see. */
async function markChanged(db: Kysely<Tables>, scope: BlockScope, added: number) {
  switch (scope.tier) {
    case "platform":
      await db
        .updateTable("platform_state")
        .set({ value: sql<string>`cast(cast(value as integer) + 1 as text)` })
        .where("name", "=", "ip_blocks_revision")
        .execute();
      break;
    case "organization":
      await db
        .updateTable("organizations")
        .set((row) => ({ ip_blocks_revision: row("ip_blocks_revision", "+", 1) }))
        .where("id", "=", scope.organizationId)
        .execute();
      break;
    case "customer":
      await db
        .updateTable("organizations")
        .set((row) => ({ customer_block_count: row("customer_block_count", "+", added) }))
        .where("id", "=", scope.organizationId)
        .execute();
      break;
    case "license":
      await db
        .updateTable("licenses")
        .set((row) => ({ block_count: row("block_count", "+", added) }))
        .where("id", "=", scope.licenseId)
        .execute();
      break;
  }
}

function columns(scope: BlockScope): { tier: BlockTier; organizationId: string | null; scopeId: string } {
  switch (scope.tier) {
    case "platform":
      return { tier: "platform", organizationId: null, scopeId: "" };
    case "organization":
      return { tier: "organization", organizationId: scope.organizationId, scopeId: scope.organizationId };
    case "customer":
      return { tier: "customer", organizationId: scope.organizationId, scopeId: scope.customerId };
    case "license":
      return { tier: "license", organizationId: scope.organizationId, scopeId: scope.licenseId };
  }
}

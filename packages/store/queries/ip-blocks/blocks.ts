import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import type { BlockTier, IpBlockRow } from "../../tables/licenses.ts";
import type { Tables } from "../../tables.ts";
import { unindexed } from "../conditions.ts";

export interface NewIpBlock {
  readonly id: string;
  readonly scope: BlockScope;
  /** Canonical, as `formatCidr` writes it. */
  readonly cidr: string;
  readonly note: string | null;
  readonly expiresAtMs: number | null;
  readonly createdBy?: string | null;
}

/** The scope of a block. A customer's or license's block belongs to one organization, and no other sees it. */
export type BlockScope =
  | { readonly tier: "platform" }
  | { readonly tier: "organization"; readonly organizationId: string }
  | { readonly tier: "customer"; readonly organizationId: string; readonly customerId: string }
  | { readonly tier: "license"; readonly organizationId: string; readonly licenseId: string };

/** Adds blocks to a scope, and marks the scope as changed in the same transaction. */
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
        updated_at: nowMs,
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

/**
 * Returns whether it existed: if two requests remove it at the same time, only one gets true, and the counters are
 * decremented once.
 */
export async function removeIpBlock(db: Kysely<Tables>, id: string, scope: BlockScope): Promise<boolean> {
  const removed = await db
    .deleteFrom("ip_blocks")
    .where("id", "=", id)
    .where(inScope(scope))
    .executeTakeFirst();
  if (removed.numDeletedRows === 0n) return false;
  await markChanged(db, scope, -1);
  return true;
}

export async function updateIpBlock(
  db: Kysely<Tables>,
  id: string,
  scope: BlockScope,
  changes: Partial<Pick<IpBlockRow, "note" | "expires_at">> & Pick<IpBlockRow, "updated_at">,
) {
  await db.updateTable("ip_blocks").set(changes).where("id", "=", id).where(inScope(scope)).execute();
  await markChanged(db, scope, 0);
}

/** Oldest first. */
export async function ipBlocksOf(
  db: Kysely<Tables>,
  scope: BlockScope,
  page: { readonly afterId: string | null; readonly limit: number },
): Promise<IpBlockRow[]> {
  let query = db.selectFrom("ip_blocks").selectAll().where(inScope(scope));
  if (page.afterId !== null) query = query.where("id", ">", page.afterId);
  return query.orderBy("id").limit(page.limit).execute();
}

export async function ipBlockOf(db: Kysely<Tables>, id: string, scope: BlockScope) {
  return db.selectFrom("ip_blocks").selectAll().where("id", "=", id).where(inScope(scope)).executeTakeFirst();
}

/** Two requests can add the same block only if neither has locked the scope's row: lock it before checking. */
export async function ipBlockOfCidr(db: Kysely<Tables>, cidr: string, scope: BlockScope) {
  return db
    .selectFrom("ip_blocks")
    .selectAll()
    .where("cidr", "=", cidr)
    .where(inScope(scope))
    .executeTakeFirst();
}

export async function countIpBlocks(db: Kysely<Tables>, scope: BlockScope): Promise<number> {
  const { count } = await db
    .selectFrom("ip_blocks")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where(inScope(scope))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Which of these networks are blocked by the platform, or by an organization at any level, if one is given. */
export async function ipBlocksOfCidrs(
  db: Kysely<Tables>,
  organizationId: string | null,
  cidrs: readonly string[],
) {
  return db
    .selectFrom("ip_blocks")
    .selectAll()
    .where("cidr", "in", cidrs)
    .where((is) =>
      is.or([
        is(unindexed("tier"), "=", "platform"),
        ...(organizationId === null ? [] : [is(unindexed("organization_id"), "=", organizationId)]),
      ]),
    )
    .orderBy("id")
    .execute();
}

/** All blocks of a scope that is deleted. */
export async function removeIpBlocks(db: Kysely<Tables>, scope: BlockScope): Promise<void> {
  const removed = await db.deleteFrom("ip_blocks").where(inScope(scope)).executeTakeFirst();
  if (removed.numDeletedRows > 0n) await markChanged(db, scope, -Number(removed.numDeletedRows));
}

type CustomerScope = Extract<BlockScope, { tier: "customer" }>;

/** Blocks follow a merged customer; if the other has the same network, the block that lasts longer stays. */
export async function moveCustomerBlocks(db: Kysely<Tables>, from: CustomerScope, to: CustomerScope) {
  const moving = await db.selectFrom("ip_blocks").selectAll().where(inScope(from)).execute();
  for (const block of moving) {
    const same = await ipBlockOfCidr(db, block.cidr, to);
    if (same !== undefined) {
      const movingLasts = lasts(block) > lasts(same);
      await removeIpBlock(db, movingLasts ? same.id : block.id, movingLasts ? to : from);
      if (!movingLasts) continue;
    }
    await db.updateTable("ip_blocks").set({ scope_id: to.customerId }).where("id", "=", block.id).execute();
  }
}

function lasts(block: IpBlockRow): number {
  return block.expires_at ?? Number.POSITIVE_INFINITY;
}

function inScope(scope: BlockScope) {
  const { tier, organizationId, scopeId } = columns(scope);
  return (is: ExpressionBuilder<Tables, "ip_blocks">) =>
    is.and([
      is("tier", "=", tier),
      is("scope_id", "=", scopeId),
      organizationId === null
        ? is("organization_id", "is", null)
        : is("organization_id", "=", organizationId),
    ]);
}

/** The hot path reads a scope's blocks only if these say that there are any. */
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

import type { ipBlock, ipBlockChanges, newIpBlock } from "@countersign/contract/manage/ip-blocks";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { maskedKey } from "@countersign/domain/licenses/key";
import { newId } from "@countersign/store/new-id";
import {
  addIpBlocks,
  type BlockScope,
  countIpBlocks,
  ipBlockOf,
  ipBlockOfCidr,
  ipBlocksOf,
  removeIpBlock,
  updateIpBlock,
} from "@countersign/store/queries/ip-blocks/blocks";
import type { Database } from "@countersign/store/store";
import type { IpBlockRow } from "@countersign/store/tables/licenses";
import type { z } from "zod";
import { type Context, checkUnchanged, nextUpdatedAt, type UserOrTokenContext } from "../../api/context.ts";
import { decodeCursor, milliseconds, pageOf } from "../../api/page.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";

/** A scope whose blocks are listed and changed; for a license also its key, by which the audit log names it. */
export type BlockList = BlockScope &
  (
    | { readonly tier: Exclude<BlockScope["tier"], "license"> }
    | { readonly tier: "license"; readonly licenseKey: string }
  );

/** The operations of every level, on a scope that was found, and locked for writing. */

/**
 * Those of an organization are derived once per change; those of a customer or license are read with each validation.
 */
const maxBlocks: Record<BlockScope["tier"], number> = {
  platform: 10_000,
  organization: 10_000,
  customer: 200,
  license: 200,
};

export async function listBlocks(
  db: Database,
  scope: BlockScope,
  query: { readonly limit: number; readonly cursor?: string | undefined },
) {
  const after = decodeCursor(query.cursor, ["text"]);
  const rows = await ipBlocksOf(db, scope, {
    afterId: after === null ? null : String(after[0]),
    limit: query.limit + 1,
  });
  return pageOf(rows, query.limit, (row) => [row.id], showIpBlock);
}

export async function addBlock(
  db: Database,
  context: UserOrTokenContext,
  scope: BlockList,
  body: z.output<typeof newIpBlock>,
) {
  const expiresAtMs = endOf(context, body.expires_at);
  const same = await ipBlockOfCidr(db, body.cidr, scope);
  if (same !== undefined) throw blockedAlready(same);
  const limit = maxBlocks[scope.tier];
  if ((await countIpBlocks(db, scope)) >= limit) throw new Problem("block_limit_reached", { limit });
  const id = newId();
  const createdBy = context.actor.name;
  await addIpBlocks(
    db,
    [{ id, scope, cidr: body.cidr, note: body.note, expiresAtMs, createdBy }],
    context.nowMs,
  );
  await audit(db, context, {
    action: "ip_block.added",
    subject: subject(scope, id, body.cidr),
    after: { ...scopeNames(scope), cidr: body.cidr, note: body.note, expires_at: isoTime(expiresAtMs) },
  });
  const row = await ipBlockOf(db, id, scope);
  if (row === undefined) throw new Error(`Block ${id} was written but does not exist.`);
  return showIpBlock(row);
}

export async function changeBlock(
  db: Database,
  context: Context,
  scope: BlockList,
  id: string,
  body: z.output<typeof ipBlockChanges>,
) {
  const row = await ipBlockOf(db, id, scope);
  if (row === undefined) throw new Problem("block_not_found");
  checkUnchanged(context, row.updated_at, body.updated_at);
  const changed = {
    ...row,
    note: body.note === undefined ? row.note : body.note,
    expires_at: body.expires_at === undefined ? row.expires_at : endOf(context, body.expires_at),
    updated_at: nextUpdatedAt(context, row.updated_at),
  };
  const { note, expires_at, updated_at } = changed;
  await updateIpBlock(db, id, scope, { note, expires_at, updated_at });
  await audit(db, context, {
    action: "ip_block.updated",
    subject: subject(scope, id, row.cidr),
    before: { ...scopeNames(scope), cidr: row.cidr, ...shownChange(row, body) },
    after: { ...scopeNames(scope), cidr: row.cidr, ...shownChange(changed, body) },
  });
  return showIpBlock(changed);
}

export async function removeBlock(db: Database, context: Context, scope: BlockList, id: string) {
  const row = await ipBlockOf(db, id, scope);
  if (row === undefined || !(await removeIpBlock(db, id, scope))) throw new Problem("block_not_found");
  await audit(db, context, {
    action: "ip_block.removed",
    subject: subject(scope, id, row.cidr),
    before: { ...scopeNames(scope), cidr: row.cidr, note: row.note, expires_at: isoTime(row.expires_at) },
  });
}

function endOf(context: Context, text: string | null): number | null {
  if (text === null) return null;
  const ms = milliseconds(text);
  if (ms <= context.nowMs) throw invalid("expires_at", "not_in_future");
  return ms;
}

function blockedAlready(block: IpBlockRow): Problem {
  return new Problem("block_exists", { cidr: block.cidr, block_id: block.id }, { field: "cidr" });
}

function shownChange(row: IpBlockRow, body: z.output<typeof ipBlockChanges>) {
  return {
    ...(body.note === undefined ? {} : { note: row.note }),
    ...(body.expires_at === undefined ? {} : { expires_at: isoTime(row.expires_at) }),
  };
}

/** Who the block is for, by the API's names. */
function scopeNames(scope: BlockScope): object {
  switch (scope.tier) {
    case "platform":
    case "organization":
      return { level: scope.tier };
    case "customer":
      return { level: scope.tier, customer_id: scope.customerId };
    case "license":
      return { level: scope.tier, license_id: scope.licenseId };
  }
}

/** A license's own blocks are part of its history, where people look for them. */
function subject(scope: BlockList, id: string, cidr: string) {
  if (scope.tier !== "license") return { kind: "ip_block", id, name: cidr };
  return { kind: "license", id: scope.licenseId, name: maskedKey(scope.licenseKey) };
}

export function showIpBlock(row: IpBlockRow): z.input<typeof ipBlock> {
  return {
    id: row.id,
    level: row.tier,
    cidr: row.cidr,
    note: row.note,
    expires_at: isoTime(row.expires_at),
    created_by: row.created_by,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

import * as contract from "@countersign/contract/manage/license-actions";
import { latestMs } from "@countersign/domain/licenses/expiry";
import type { Permission } from "@countersign/domain/members/permissions";
import * as changes from "@countersign/store/queries/license-changes";
import { conditions, type LicenseFilter } from "@countersign/store/queries/license-filter";
import { licenseLots, type Place, pause } from "@countersign/store/queries/license-list";
import type { Database } from "@countersign/store/store";
import type { LicenseRow } from "@countersign/store/tables";
import type { z } from "zod";
import { type BoundRoute, bind } from "../../http/manage/bind.ts";
import { type Context, theOrganization, theStanding } from "../../http/manage/context.ts";
import { decodeCursor, milliseconds } from "../../http/manage/page.ts";
import { invalid, Problem } from "../../http/manage/problem.ts";
import { applyChange, lockedRows } from "./change.ts";
import { cursorOf, filterOf, placeOf } from "./list.ts";

type Order = z.output<typeof contract.bulkLicenses.body>;

/** What each action needs, what it is called in the audit log, and what it does. */
const actions: {
  [A in Order["action"]]: readonly [
    permission: Permission,
    audited: string,
    change: (order: Extract<Order, { action: A }>, nowMs: number) => changes.LicenseChange,
  ];
} = {
  revoke: [
    "licenses:revoke",
    "license.revoked",
    (order, nowMs) => changes.revoking(order.reason ?? null, nowMs),
  ],
  reinstate: ["licenses:revoke", "license.reinstated", (_, nowMs) => changes.reinstating(nowMs)],
  delete: ["licenses:delete", "license.deleted", () => changes.deleting()],
  reset_ips: ["licenses:reset_ips", "license.ips_reset", (_, nowMs) => changes.resettingIps(nowMs)],
  extend: [
    "licenses:update",
    "license.renewed",
    (order, nowMs) => changes.extending(order.extend_by_seconds * 1000, nowMs),
  ],
  set_expiry: [
    "licenses:update",
    "license.updated",
    (order, nowMs) => changes.settingExpiry(endOf(order.expires_at), nowMs),
  ],
  set_max_ips: [
    "licenses:update",
    "license.updated",
    (order, nowMs) => changes.settingMaxIps(order.max_ips, nowMs),
  ],
  add_tags: [
    "licenses:update",
    "license.updated",
    (order, nowMs) => changes.addingTags(order.tags, mostTags, nowMs),
  ],
  remove_tags: [
    "licenses:update",
    "license.updated",
    (order, nowMs) => changes.removingTags(order.tags, nowMs),
  ],
};

const mostTags = 20;
/** One transaction's worth: validations wait while it lasts. A dry run holds up nobody. */
const lotSize = 50;
const dryLotSize = 4_000;
/** Then the caller is answered, before the connection is taken for dead. */
const longestMs = 8_000;

export const bulkRoutes: readonly BoundRoute[] = [
  bind(contract.bulkLicenses, async (context, { body: order }) => {
    const [permission, action, changeOf] = actions[order.action];
    if (!theStanding(context).permissions.has(permission)) {
      throw new Problem(
        "forbidden",
        `${order.action} needs the permission ${permission}, which you do not have.`,
      );
    }
    const change = (changeOf as (order: Order, nowMs: number) => changes.LicenseChange)(order, context.nowMs);
    const until = performance.now() + longestMs;
    const result = { matched: 0, changed: 0, dry_run: order.dry_run, next_cursor: null as string | null };
    let isFirst = true;
    for await (const { ids, end, filter } of lotsOf(context, order)) {
      const work = async (db: Database) => {
        const rows = await chosenRows(db, context, ids, filter, !order.dry_run);
        result.matched += rows.length;
        result.changed += order.dry_run
          ? (await change.affected(db, rows)).length
          : await applyChange(db, context, action, change, rows);
        return result;
      };
      if (order.dry_run) await work(context.store.reads);
      // What fits into one transaction is kept with its answer.
      else if (isFirst && end === null) return context.transaction(work);
      else await context.store.transaction(work);
      isFirst = false;
      if (end !== null && performance.now() > until) {
        result.next_cursor = cursorOf(end);
        break;
      }
      await pause();
    }
    return context.transaction(async () => result);
  }),
];

function endOf(expiresAt: string | null): number | null {
  if (expiresAt === null) return null;
  const endMs = milliseconds(expiresAt);
  if (endMs > latestMs) throw invalid("expires_at", "should be before the year 10000");
  return endMs;
}

interface Lot {
  readonly ids: readonly string[];
  /** Where to go on; null after the last. */
  readonly end: Place | null;
  /** What the licenses have to be like still when they are changed. */
  readonly filter: LicenseFilter | null;
}

async function* lotsOf(context: Context, order: Order): AsyncGenerator<Lot> {
  const after = placeOf(decodeCursor(order.cursor, 2));
  const size = order.dry_run ? dryLotSize : lotSize;
  if ("ids" in order.selection) {
    const ids = [...new Set(order.selection.ids)].sort().filter((id) => after === null || id > after.id);
    for (let start = 0; start < ids.length; start += size) {
      const lot = ids.slice(start, start + size);
      const isLast = start + size >= ids.length;
      yield { ids: lot, end: isLast ? null : { at: 0, id: lot.at(-1) ?? "" }, filter: null };
    }
    return;
  }
  const filter = await filterOf(context, order.selection.filter);
  if (filter === null) return;
  for await (const lot of licenseLots(context.store, filter, after, size, context.nowMs)) {
    yield { ...lot, filter };
  }
}

/** Those of the ids that are the organization's and, where there is a filter, still as it says. */
async function chosenRows(
  db: Database,
  context: Context,
  ids: readonly string[],
  filter: LicenseFilter | null,
  lock: boolean,
): Promise<LicenseRow[]> {
  if (ids.length === 0) return [];
  if (lock && filter === null) return lockedRows(db, context, ids);
  if (lock) await context.store.bulk.lockLicenses(db, ids);
  let query = db
    .selectFrom("licenses")
    .selectAll()
    .where("id", "in", ids)
    .where("organization_id", "=", theOrganization(context).id);
  for (const condition of conditions(filter ?? (await everything(context)), context.nowMs))
    query = query.where(condition);
  return query.orderBy("id").execute();
}

async function everything(context: Context): Promise<LicenseFilter> {
  const filter = await filterOf(context, {});
  if (filter === null) throw new Error("An organization has licenses, if only none.");
  return filter;
}

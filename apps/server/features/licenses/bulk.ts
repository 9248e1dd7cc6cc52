import * as contract from "@countersign/contract/manage/license-actions";
import { type Extension, readExpiry } from "@countersign/domain/licenses/expiry";
import type { Permission } from "@countersign/domain/members/permissions";
import { unindexed } from "@countersign/store/queries/conditions";
import * as changes from "@countersign/store/queries/licenses/changes";
import { conditions, everyLicenseOf, type LicenseFilter } from "@countersign/store/queries/licenses/filter";
import { licensePage } from "@countersign/store/queries/licenses/list";
import type { Position } from "@countersign/store/queries/licenses/scan";
import { type LicenseView, licenseViews } from "@countersign/store/queries/licenses/views";
import type { Database } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { z } from "zod";
import { type BoundRoute, bind, type Context, type OrganizationContext } from "../../api/context.ts";
import { invalid, invalidField, Problem } from "../../http/problem.ts";
import { applyChange, type Drained, drain, lockedLicenses } from "./change.ts";
import { endMs, extensionOf } from "./fields.ts";
import { cursorOf, filterOf, positionOf } from "./list.ts";

type Order = z.output<typeof contract.bulkLicenses.body>;

/** What each action requires, its name in the audit log, and what it does. */
const actions: {
  [A in Order["action"]]: readonly [
    permission: Permission,
    audited: string,
    change: (order: Extract<Order, { action: A }>, nowMs: number, timeZone: string) => changes.LicenseChange,
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
    (order, nowMs, timeZone) => changes.extending(extensionIn(order, timeZone), nowMs),
  ],
  set_expiry: [
    "licenses:update",
    "license.updated",
    (order, nowMs, timeZone) => changes.settingExpiry(endOf(order.expires_at, timeZone), nowMs),
  ],
  set_max_ips: [
    "licenses:update",
    "license.updated",
    (order, nowMs) => changes.settingMaxIps(order.max_ips, nowMs),
  ],
  add_tags: [
    "licenses:update",
    "license.updated",
    (order, nowMs) => changes.addingTags(order.tags, maxTags, nowMs),
  ],
  remove_tags: [
    "licenses:update",
    "license.updated",
    (order, nowMs) => changes.removingTags(order.tags, nowMs),
  ],
};

const nothingDrained: Drained = new Map();

/** Actions after which a license has no registered IP addresses. */
const takesIps: ReadonlySet<Order["action"]> = new Set(["delete", "reset_ips"]);

const maxTags = 20;
/** The size of one transaction: validations wait while it runs. A dry run delays nobody. */
const batchSize = 50;
const dryRunBatchSize = 4_000;
/** The caller gets a response by then, before the connection times out. */
const maxWorkMs = 8_000;

/** The progress. Stored with each batch, so that a repeat continues from here and does nothing twice. */
interface Progress {
  /** When the first attempt began: the filter and the action use this time until the end. */
  readonly nowMs: number;
  /** Likewise: days and years mean the same until the end, even if the organization's time zone changes. */
  readonly timeZone: string;
  readonly at: Position | null;
  readonly matched: number;
  readonly changed: number;
  readonly isOver: boolean;
}

export const bulkRoutes: readonly BoundRoute[] = [
  bind(contract.bulkLicenses, async (context, { body: order }) => {
    const [permission, action, changeOf] = actions[order.action];
    if (!context.organizationAccess.permissions.has(permission))
      throw new Problem("permission_missing", { permission });
    let progress: Progress = (context.progress() as Progress | null) ?? {
      nowMs: context.nowMs,
      timeZone: context.organization.time_zone,
      at: positionOf(order.cursor, orderName(order)),
      matched: 0,
      changed: 0,
      isOver: false,
    };
    const change = (changeOf as (order: Order, nowMs: number, timeZone: string) => changes.LicenseChange)(
      order,
      progress.nowMs,
      progress.timeZone,
    );
    const until = performance.now() + maxWorkMs;
    const nextBatch = await batchesOf(context, order, progress.nowMs, until);
    for (let isFirst = true; !progress.isOver; isFirst = false) {
      const before = progress;
      const { ids, end, filter: wanted } = await nextBatch(before.at);
      const drained =
        takesIps.has(order.action) && !order.dry_run
          ? await drain(
              context.store,
              await matchingIds(context.store.reads, context, ids, wanted, before.nowMs),
            )
          : nothingDrained;
      // Those that just lost IP addresses are still included.
      const filter = wanted === null || drained.size === 0 ? wanted : { ...wanted, minIps: null };
      const work = async (db: Database): Promise<Progress> => {
        const rows = await chosenLicenses(db, context, {
          ids,
          filter,
          nowMs: before.nowMs,
          isLocked: !order.dry_run,
        });
        const changed = order.dry_run
          ? (await change.affected(db, rows)).length
          : (
              await applyChange(db, context, {
                action,
                change,
                licenses: rows,
                eventMode: order.action === "revoke" ? "together" : "each",
                drained,
              })
            ).count;
        return {
          ...before,
          at: end,
          matched: before.matched + rows.length,
          changed: before.changed + changed,
          isOver: end === null || performance.now() > until,
        };
      };
      if (order.dry_run) progress = await work(context.store.reads);
      // If everything fits into one transaction, the response is stored with it.
      else if (isFirst && end === null && before.matched === 0)
        return context.transaction(async (db) => answer(order, await work(db)));
      else {
        if (order.action === "extend") checkCanBeRepeated(context);
        progress = await context.step(work);
      }
      await yieldToEventLoop();
    }
    return context.transaction(async () => answer(order, progress));
  }),
];

function answer(order: Order, { matched, changed, at }: Progress) {
  const next = at === null ? null : cursorOf(at, orderName(order));
  return { matched, changed, dry_run: order.dry_run, next_cursor: next };
}

/** An action that adds up when repeated needs a way to tell what it has already extended. */
function checkCanBeRepeated({ request }: Context): void {
  if (request.headers.has("idempotency-key")) return;
  throw invalid("Idempotency-Key", "idempotency_key_required");
}

function extensionIn(order: Extract<Order, { action: "extend" }>, timeZone: string): Extension {
  const by = extensionOf(order, timeZone);
  if (by === null) throw invalid("extend_by", "extension_missing");
  return by;
}

function endOf(expiresAt: string | null, timeZone: string): number | null {
  if (expiresAt === null) return null;
  const answer = readExpiry({ expiresAtMs: endMs(expiresAt, timeZone) }, null, 0);
  if (!answer.ok) throw invalidField(answer.field, answer.fault);
  return answer.expiry?.expiresAtMs ?? null;
}

interface Batch {
  readonly ids: readonly string[];
  /** Where to continue; null after the last. */
  readonly end: Position | null;
  /** What the licenses must still satisfy when they are changed. */
  readonly filter: LicenseFilter | null;
}

/** IDs and filters iterate over the licenses in different orders. */
function orderName(order: Order): string {
  return order.selection.ids === undefined ? "bulk filter" : "bulk ids";
}

/** Finds the licenses after a position. */
async function batchesOf(
  context: OrganizationContext,
  order: Order,
  nowMs: number,
  until: number,
): Promise<(after: Position | null) => Promise<Batch>> {
  const size = order.dry_run ? dryRunBatchSize : batchSize;
  const { ids: chosen, filter: wanted } = order.selection;
  if (chosen !== undefined) {
    const ids = [...new Set(chosen)].sort();
    return async (after) => {
      const start = after === null ? 0 : ids.findIndex((id) => id > after.id);
      const batch = start < 0 ? [] : ids.slice(start, start + size);
      const last = batch.at(-1);
      const isLast = last === undefined || last === ids.at(-1);
      return { ids: batch, end: isLast ? null : { at: 0, id: last }, filter: null };
    };
  }
  if (wanted === undefined) throw new Error("The contract requires license IDs or a filter.");
  const filter = await filterOf(context, wanted, nowMs);
  if (filter === null) return async () => ({ ids: [], end: null, filter });
  return async (after) => {
    const ids: string[] = [];
    let end: Position | null = after;
    // A page can be short if matches are rare. A batch is not: its size does not depend on what lies between.
    do {
      const page = await licensePage(context.store, { filter, order: byAge, nowMs }, end, size - ids.length);
      ids.push(...page.ids);
      end = page.next;
    } while (end !== null && ids.length < size && performance.now() < until);
    return { ids, end, filter };
  };
}

const byAge = { by: "created_at", descending: false } as const;

interface ChosenLicenses {
  readonly ids: readonly string[];
  readonly filter: LicenseFilter | null;
  readonly nowMs: number;
  /** Until the transaction ends. */
  readonly isLocked: boolean;
}

/** The given licenses that belong to the organization and, if there is a filter, still match it. */
async function chosenLicenses(
  db: Database,
  context: OrganizationContext,
  { ids, filter, nowMs, isLocked }: ChosenLicenses,
): Promise<LicenseView[]> {
  if (isLocked && filter === null) return lockedLicenses(db, context, ids);
  if (isLocked) await context.store.bulk.lockLicenses(db, ids);
  return licenseViews(db, await matchingIds(db, context, ids, filter, nowMs));
}

async function matchingIds(
  db: Database,
  context: OrganizationContext,
  ids: readonly string[],
  filter: LicenseFilter | null,
  nowMs: number,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const organizationId = context.organization.id;
  let query = db
    .selectFrom("licenses")
    .select("id")
    .where("id", "in", ids)
    .where(unindexed("organization_id"), "=", organizationId);
  for (const condition of conditions(filter ?? everyLicenseOf(organizationId), nowMs))
    query = query.where(condition);
  const rows = await query.orderBy("id").execute();
  return rows.map((row) => row.id);
}

import type { Permission } from "@countersign/domain/members/permissions";
import type { Body } from "../../api/client.ts";
import { call } from "../../api/client.ts";
import { randomId } from "../../api/send.ts";
import type { HelpTopic } from "../../ui/help.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { fromEnd } from "../../ui/time-fields.tsx";
import { whileRunning } from "../../ui/unsaved.ts";

export type BulkOrder = Body<"bulkLicenses">;
export type BulkAction = BulkOrder["action"];
export type BulkSelection = BulkOrder["selection"];

interface ActionFacts {
  readonly action: BulkAction;
  /** How the action affects the response of validate; null if it does not. */
  readonly help: HelpTopic | null;
  readonly needs: Permission;
  readonly icon: IconName;
  /** The action cannot be undone. */
  readonly isFinal?: true;
}

/** In display order. */
export const bulkActions: readonly ActionFacts[] = [
  { action: "extend", help: "expiry", needs: "licenses:update", icon: "clock" },
  { action: "add_tags", help: null, needs: "licenses:update", icon: "plus" },
  { action: "revoke", help: "revoked", needs: "licenses:revoke", icon: "block" },
  { action: "reinstate", help: "reinstated", needs: "licenses:revoke", icon: "refresh" },
  { action: "remove_tags", help: null, needs: "licenses:update", icon: "close" },
  { action: "set_expiry", help: "expiry", needs: "licenses:update", icon: "clock" },
  { action: "set_max_ips", help: "ipLimit", needs: "licenses:update", icon: "ip" },
  { action: "reset_ips", help: "freedIps", needs: "licenses:reset_ips", icon: "ip", isFinal: true },
  { action: "delete", help: "deleted", needs: "licenses:delete", icon: "trash", isFinal: true },
];

/** The form input for an action. Fields that are sent as they are have the names of the API. */
export interface BulkDraft {
  readonly reason: string;
  readonly amount: number | "";
  readonly unit: Unit;
  readonly isLifetime: boolean;
  readonly expires_at: string;
  readonly max_ips: number | "";
  readonly tags: readonly string[];
}

export const unitSeconds = { days: 86_400, weeks: 604_800, months: 2_592_000, years: 31_536_000 } as const;
export type Unit = keyof typeof unitSeconds;
export const units = Object.keys(unitSeconds) as readonly Unit[];
/** Units with a fixed length. */
export const exactUnits: readonly Unit[] = ["days", "weeks"];

export const emptyDraft: BulkDraft = {
  reason: "",
  amount: 1,
  unit: "months",
  isLifetime: false,
  expires_at: "",
  max_ips: "",
  tags: [],
};

/** The request for a draft, or null while it is incomplete. */
export function orderOf(action: BulkAction, draft: BulkDraft, selection: BulkSelection): BulkOrder | null {
  switch (action) {
    case "revoke":
      return { action, selection, reason: draft.reason.trim() === "" ? null : draft.reason.trim() };
    case "reinstate":
    case "delete":
    case "reset_ips":
      return { action, selection };
    case "extend": {
      const by = durationOf(draft.amount, draft.unit);
      return by === null ? null : { action, selection, extend_by: by };
    }
    case "set_expiry": {
      const expiresAt = draft.isLifetime ? null : fromEnd(draft.expires_at);
      return !draft.isLifetime && expiresAt === null ? null : { action, selection, expires_at: expiresAt };
    }
    case "set_max_ips":
      return Number(draft.max_ips) >= 1 ? { action, selection, max_ips: Number(draft.max_ips) } : null;
    case "add_tags":
    case "remove_tags":
      return draft.tags.length === 0 ? null : { action, selection, tags: [...draft.tags] };
  }
}

/** An ISO 8601 duration, as in the API: months and years follow the calendar. */
export function durationOf(amount: number | "", unit: Unit): string | null {
  const count = Number(amount);
  return Number.isInteger(count) && count >= 1 ? `P${count}${unit.charAt(0).toUpperCase()}` : null;
}

export function secondsOf(amount: number | "", unit: Unit): number | null {
  const seconds = Number(amount) * unitSeconds[unit];
  return Number.isInteger(seconds) && seconds >= 1 ? seconds : null;
}

/**
 * The action that undoes another, if that restores the exact state: every selected license was changed, and in the same
 * way.
 */
export function undoOf(order: BulkOrder): BulkOrder | null {
  const { selection } = order;
  if (selection.ids === undefined) return null;
  if (order.action === "revoke") return { action: "reinstate", selection };
  if (order.action === "add_tags" && order.tags.length === 1)
    return { action: "remove_tags", selection, tags: order.tags };
  if (order.action === "remove_tags" && order.tags.length === 1)
    return { action: "add_tags", selection, tags: order.tags };
  return null;
}

/** The progress of a bulk action. It can resume from here after a broken connection without repeating anything. */
export interface BulkProgress {
  readonly matched: number;
  readonly changed: number;
  readonly isOver: boolean;
  readonly cursor: string | null;
  readonly key: string;
}

export function bulkStart(): BulkProgress {
  return { matched: 0, changed: 0, isOver: false, cursor: null, key: randomId() };
}

interface BulkRun {
  readonly from?: BulkProgress;
  readonly step?: (progress: BulkProgress) => void;
  readonly isStopped?: () => boolean;
  readonly signal?: AbortSignal;
}

/** The server works for a few seconds per request; each response contains the progress. A real run is guarded. */
export function runBulk(organizationId: string, order: BulkOrder, run: BulkRun = {}): Promise<BulkProgress> {
  const ask = () => askInTurn(organizationId, order, run);
  return order.dry_run === true ? ask() : whileRunning(ask);
}

async function askInTurn(
  organizationId: string,
  order: BulkOrder,
  { from = bulkStart(), step = () => {}, isStopped = () => false, signal }: BulkRun,
): Promise<BulkProgress> {
  let progress = from;
  while (!progress.isOver && !isStopped()) {
    const answer = await call("bulkLicenses", {
      params: { organization_id: organizationId },
      body: { ...order, ...(progress.cursor === null ? {} : { cursor: progress.cursor }) },
      idempotencyKey: progress.key,
      ...(signal === undefined ? {} : { signal }),
    });
    progress = {
      matched: progress.matched + answer.matched,
      changed: progress.changed + answer.changed,
      isOver: answer.next_cursor === null,
      cursor: answer.next_cursor,
      key: randomId(),
    };
    step(progress);
  }
  return progress;
}

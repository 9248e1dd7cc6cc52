import { choosableTypes } from "@countersign/domain/events/types";
import type { Body } from "../../api/client.ts";
import type { Webhook } from "./webhook-state.tsx";

/** The form's input, by the names of the API. */
export interface WebhookDraft extends Pick<Webhook, "url" | "description" | "format" | "auto_reenable"> {
  /** Null for all types. */
  readonly event_types: readonly ChoosableType[] | null;
  readonly product_ids: readonly string[] | null;
  readonly headers: readonly HeaderDraft[];
}

export interface HeaderDraft {
  /** A React key. */
  readonly row: string;
  readonly name: string;
  /** Null for a value that the server has and does not return: it is not changed. */
  readonly value: string | null;
}

export const emptyDraft: WebhookDraft = {
  url: "",
  description: "",
  format: "standard",
  event_types: null,
  product_ids: null,
  auto_reenable: true,
  headers: [],
};

export function draftOf(webhook: Webhook): WebhookDraft {
  const { url, description, format, event_types: types, product_ids, auto_reenable, header_names } = webhook;
  return {
    url,
    description,
    format,
    event_types: types === null ? null : choosableTypes.filter((type) => types.includes(type)),
    product_ids,
    auto_reenable,
    headers: header_names.map((name) => ({ row: name, name, value: null })),
  };
}

export function creationOf(draft: WebhookDraft): Body<"createWebhook"> {
  const headers = Object.fromEntries(filledRows(draft).map(({ name, value }) => [name, value ?? ""]));
  return { ...fieldsOf(draft), headers };
}

/**
 * Only changed headers are sent: others stay, and null removes one. `basis` is the webhook that the form started from.
 * If it was only disabled or its secret rotated since, that is not a conflict.
 */
export function changesOf(draft: WebhookDraft, basis: Webhook, now: Webhook): Body<"updateWebhook"> {
  const isAlike = JSON.stringify(draftOf(basis)) === JSON.stringify(draftOf(now));
  const rows = filledRows(draft);
  const kept = new Set(rows.map(({ name }) => name.toLowerCase()));
  const removed = basis.header_names.filter((name) => !kept.has(name));
  return {
    ...fieldsOf(draft),
    headers: {
      ...Object.fromEntries(removed.map((name) => [name, null])),
      ...Object.fromEntries(
        rows.filter(({ value }) => value !== null).map(({ name, value }) => [name, value]),
      ),
    },
    updated_at: (isAlike ? now : basis).updated_at,
  };
}

function fieldsOf({ headers: _headers, event_types, product_ids, ...fields }: WebhookDraft) {
  return {
    ...fields,
    event_types: event_types && [...event_types],
    product_ids: product_ids && [...product_ids],
  };
}

function filledRows({ headers }: WebhookDraft): HeaderDraft[] {
  return headers.filter(({ name, value }) => name.trim() !== "" || (value ?? "") !== "");
}

/** The format that a URL implies, if any. */
export function formatOf(url: string): Webhook["format"] | null {
  if (/^https:\/\/(?:[a-z]+\.)?discord(?:app)?\.com\/api\/webhooks\//i.test(url)) return "discord";
  if (/^https:\/\/hooks\.slack\.com\//i.test(url)) return "slack";
  return null;
}

export type ChoosableType = (typeof choosableTypes)[number];

/** Exhaustive: a new type must be assigned to a group. */
const groupOf: Readonly<Record<ChoosableType, EventGroup>> = {
  "license.created": "licenses",
  "license.updated": "licenses",
  "license.revoked": "licenses",
  "license.reinstated": "licenses",
  "license.bulk_revoked": "licenses",
  "license.deleted": "licenses",
  "license.renewed": "expiry",
  "license.expiring_soon": "expiry",
  "license.expired": "expiry",
  "license.ip_registered": "ips",
  "license.ip_removed": "ips",
  "license.ips_reset": "ips",
  "license.ip_blocked": "ips",
  "license.ip_limit_reached": "ips",
  "license.transfer_requested": "transfers",
  "license.transferred": "transfers",
  "license.transfer_rejected": "transfers",
  "license.transfer_cancelled": "transfers",
  "quota.warning": "quota",
  "quota.exhausted": "quota",
};

const groups = ["licenses", "expiry", "ips", "transfers", "quota"] as const;
type EventGroup = (typeof groups)[number];

export const typesByGroup = groups.map((group) => ({
  group,
  types: choosableTypes.filter((type) => groupOf[type] === group),
}));

import { isoTime } from "../dates/iso-time.ts";
import type { EventType } from "../events/types.ts";
import { maskedKey } from "../licenses/key.ts";

/** An event as it is sent. `data` is whatever the event contains: nothing in it is assumed. */
export interface ChatEvent {
  readonly type: EventType;
  readonly atMs: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event as a chat message, before it is formatted for a service. Plain text: nothing is escaped yet. */
interface ChatMessage {
  readonly title: string;
  readonly severity: Severity;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly atMs: number;
}

type Severity = "good" | "neutral" | "warning" | "bad";

function chatMessage({ type, atMs, data }: ChatEvent): ChatMessage {
  const [title, severity] = titles[type];
  const fields = particulars(data).flatMap(([name, value]) => {
    const text = textOf(value);
    return text === "" ? [] : [{ name, value: text }];
  });
  return { title, severity, fields, atMs };
}

const titles: Readonly<Record<EventType, readonly [title: string, severity: Severity]>> = {
  "license.created": ["License created", "good"],
  "license.updated": ["License changed", "neutral"],
  "license.revoked": ["License revoked", "bad"],
  "license.reinstated": ["License reinstated", "good"],
  "license.renewed": ["License renewed", "good"],
  "license.expiring_soon": ["License expires soon", "warning"],
  "license.expired": ["License expired", "warning"],
  "license.deleted": ["License deleted", "bad"],
  "license.ip_registered": ["New IP address registered", "neutral"],
  "license.ip_removed": ["IP address removed", "neutral"],
  "license.ips_reset": ["IP addresses reset", "neutral"],
  "license.ip_blocked": ["Blocked IP address turned away", "bad"],
  "license.ip_limit_reached": ["IP limit reached", "warning"],
  "license.transfer_requested": ["Transfer requested", "warning"],
  "license.transferred": ["License transferred", "good"],
  "license.transfer_rejected": ["Transfer rejected", "bad"],
  "license.transfer_cancelled": ["Transfer cancelled", "neutral"],
  "license.bulk_revoked": ["Licenses revoked", "bad"],
  "quota.warning": ["Daily quota almost used up", "warning"],
  "quota.exhausted": ["Daily quota used up", "bad"],
  "endpoint.test": ["It works", "good"],
};

/** In reading order. What an event does not have is omitted. */
function particulars(data: Readonly<Record<string, unknown>>): [name: string, value: unknown][] {
  const license = objectOf(data.license);
  const isTransfer = data.transfer !== undefined;
  return [
    ["Message", data.message],
    ["Product", license.product_name ?? data.product_name],
    ["Key", typeof license.license_key === "string" ? maskedKey(license.license_key) : null],
    ["Customer", isTransfer ? null : nameOf(license)],
    ...transferOf(data.transfer),
    ["IP address", data.ip],
    ...summaryOf(data.summary),
    ["Expires", dayOf(license)],
    ["Reason", data.reason ?? (isTransfer ? null : license.revoked_reason)],
    ["Changed", changedNames(data.changed)],
    ["Licenses", data.count],
    ["Used", data.used],
    ["Limit", data.limit],
  ];
}

/** The text of an event that summarizes an hour. */
function summaryOf(summary: unknown): [name: string, value: unknown][] {
  const { count, ip_count: ips, ip_count_is_exact: isExact } = objectOf(summary);
  if (typeof count !== "number") return [];
  return [
    ["Further times in the hour", count],
    ["From IP addresses", isExact === false ? `more than ${textOf(ips)}` : ips],
  ];
}

/** Who transfers a license to whom, and why it was decided, or has to be. */
function transferOf(value: unknown): [name: string, value: unknown][] {
  const { from, to, message, state, review_reason: review, reason } = objectOf(value);
  return [
    ["From", nameOf(objectOf(from))],
    ["To", nameOf(objectOf(to))],
    ["Customer's message", message],
    ["Needs review", state === "pending" ? codeWords(review) : null],
    ["Reason", codeWords(reason)],
  ];
}

function nameOf({
  customer_name: name,
  customer_email: email,
  customer_discord_id: discordId,
}: Holder): unknown {
  return name ?? email ?? discordId;
}

type Holder = Readonly<Record<string, unknown>>;

/** The server's own reasons are codes; others are a person's words. */
function codeWords(reason: unknown): unknown {
  return typeof reason === "string" && Object.hasOwn(reasons, reason) ? reasons[reason] : reason;
}

const reasons: Readonly<Record<string, string>> = {
  product_setting: "Transfers of this product are always reviewed",
  cooldown: "The license was created or transferred recently",
  target_blocked: "The recipient has blocked IP addresses",
  license_deleted: "The license was deleted",
  customer_changed: "The license was given to another customer",
};

function dayOf(license: Readonly<Record<string, unknown>>): string | null {
  if (typeof license.expires_at === "string") return license.expires_at.slice(0, 10);
  return license.is_lifetime === true ? "never" : null;
}

/** A list of names, or an object whose members are what changed. */
function changedNames(changed: unknown): string | null {
  const names = Array.isArray(changed) ? changed.map(textOf) : Object.keys(objectOf(changed));
  return names.length === 0 ? null : names.slice(0, 20).join(", ");
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** One line; anything other than text, numbers and booleans is omitted. */
function textOf(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return "";
  return value
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
}

/** At most this many UTF-16 units, which is stricter than either service counts, without splitting a character. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  let short = "";
  for (const character of text) {
    if (short.length + character.length > most - 1) break;
    short += character;
  }
  return `${short}…`;
}

/** The body of a message to a Discord webhook: one embed that mentions nobody. */
export function discordMessage(event: ChatEvent): object {
  const { title, severity, fields, atMs } = chatMessage(event);
  return {
    embeds: [
      {
        title,
        color: colors[severity],
        fields: fields.slice(0, maxDiscordFields).map(({ name, value }) => ({
          name,
          value: escapedForDiscord(value),
          inline: value.length <= shortValue,
        })),
        timestamp: isoTime(atMs),
        footer: { text: event.type },
      },
    ],
    // Escaping hides a mention from readers; this keeps Discord from acting on one.
    allowed_mentions: { parse: [] },
  };
}

const colors: Readonly<Record<Severity, number>> = {
  good: 0x2f9e44,
  neutral: 0x4263eb,
  warning: 0xf08c00,
  bad: 0xe03131,
};

/** Discord accepts 25 fields of 1,024 characters, and 6,000 in total. Escaping at most doubles the length. */
const maxDiscordFields = 12;
const maxDiscordCharacters = 200;
const shortValue = 40;

/**
 * Shows markup literally, with a backslash before each special character. A zero-width character breaks mentions, and
 * URLs, which Discord would turn into links.
 */
function escapedForDiscord(text: string): string {
  return shortened(text, maxDiscordCharacters)
    .replace(/[\\*_~`|[\]()<>]|^[-#]/g, "\\$&")
    .replaceAll("@", "@\u200b")
    .replaceAll("://", ":\u200b//");
}

/** The body of a message to a Slack webhook: blocks, and a text for clients that do not show blocks. */
export function slackMessage(event: ChatEvent): object {
  const { title, severity, fields, atMs } = chatMessage(event);
  const lines = fields.map(({ name, value }) => `${name}: ${value}`);
  const shown = fields.slice(0, maxSlackFields).map(({ name, value }) => ({
    type: "mrkdwn",
    text: `*${name}*\n${escapedForSlack(value)}`,
    verbatim: true,
  }));
  return {
    text: escapedForSlack([title, ...lines].join(" · "), maxSlackCharacters),
    // Names in the text are not resolved, and links are not unfurled.
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: "header", text: { type: "plain_text", text: `${signs[severity]} ${title}`, emoji: true } },
      ...(shown.length === 0 ? [] : [{ type: "section", fields: shown }]),
      {
        type: "context",
        elements: [{ type: "mrkdwn", text: `${event.type} · ${isoTime(atMs)}`, verbatim: true }],
      },
    ],
  };
}

const signs: Readonly<Record<Severity, string>> = { good: "🟢", neutral: "🔵", warning: "🟠", bad: "🔴" };

/** Slack accepts 10 fields of 2,000 characters in a section, and recommends at most 4,000 characters of text. */
const maxSlackFields = 10;
const maxSlackCharacters = 1_000;
const maxSlackValueCharacters = 200;

/**
 * With `&`, `<` and `>` escapedForSlack, no mention and no link is possible. Characters for bold, strikethrough or code cannot
 * be escapedForSlack: a zero-width character before them disables them.
 */
function escapedForSlack(text: string, maxCharacters = maxSlackValueCharacters): string {
  return shortened(text, maxCharacters)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/[*_~`]/g, "\u200b$&")
    .replaceAll("@", "@\u200b");
}

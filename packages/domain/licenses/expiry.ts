import { addDuration, type CalendarDuration, nominalMs } from "../dates/duration.ts";

/** When a license expires, as stored: never, at a time, or a term after its first use. */
export interface Expiry {
  readonly isLifetime: boolean;
  readonly expiresAtMs: number | null;
  readonly termMs: number | null;
}

/** A requested expiry. Omitted fields were not specified; null means "no expiry". */
export interface WantedExpiry {
  readonly isLifetime?: boolean | undefined;
  readonly expiresAtMs?: number | null | undefined;
  readonly expiresInMs?: number | undefined;
  /** The time zone in which a calendar duration ends. */
  readonly calendarEndMs?: number | undefined;
  readonly termMs?: number | null | undefined;
}

export type ExpiryAnswer =
  /** Null if nothing was specified. */
  | { readonly ok: true; readonly expiry: Expiry | null }
  | { readonly ok: false; readonly field: ExpiryField; readonly fault: ExpiryFault };

type ExpiryFault =
  | { readonly code: "conflicts_with"; readonly params: { readonly other: ExpiryField } }
  | { readonly code: "after_year_9999" | "before_year_1970" | "expiry_missing"; readonly params: object };

type ExpiryField = "is_lifetime" | "expires_at" | "expires_in" | "expires_in_seconds" | "term_seconds";

/** The year 9999 is the last one a date can express. */
export const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const lifetime: Expiry = { isLifetime: true, expiresAtMs: null, termMs: null };

/** Checks that the alternative ways to specify an expiry do not contradict each other; one is enough. */
export function readExpiry(wanted: WantedExpiry, firstUsedAtMs: number | null, nowMs: number): ExpiryAnswer {
  const given = givenFields(wanted);
  const [first, second] = given;
  if (first !== undefined && second !== undefined) {
    return refuse(second, { code: "conflicts_with", params: { other: first } });
  }
  switch (first) {
    case "expires_at":
      return until(first, wanted.expiresAtMs ?? 0);
    case "expires_in":
      return until(first, wanted.calendarEndMs ?? 0);
    case "expires_in_seconds":
      return until(first, nowMs + (wanted.expiresInMs ?? 0));
    case "term_seconds": {
      const termMs = wanted.termMs ?? 0;
      if (firstUsedAtMs === null)
        return { ok: true, expiry: { isLifetime: false, expiresAtMs: null, termMs } };
      const answer = until(first, firstUsedAtMs + termMs);
      return answer.ok && answer.expiry !== null
        ? { ok: true, expiry: { ...answer.expiry, termMs } }
        : answer;
    }
    case "is_lifetime":
      return { ok: true, expiry: lifetime };
    default:
      return withoutEnd(wanted);
  }
}

/** A hundred years: for anything longer, use a lifetime license. */
const maxTermMs = 3_155_760_000_000;

/** How much a license is extended by: a length of time, or a calendar duration in a time zone. */
export type Extension =
  | { readonly ms: number }
  | { readonly duration: CalendarDuration; readonly timeZone: string };

/** Extends from the expiry or from now, whichever is later; null for a license that never expires. */
export function extended(expiry: Expiry, by: Extension, nowMs: number): Expiry | null {
  if (expiry.expiresAtMs !== null) {
    const fromMs = Math.max(expiry.expiresAtMs, nowMs);
    const toMs = "ms" in by ? fromMs + by.ms : addDuration(fromMs, by.duration, by.timeZone);
    return { ...expiry, expiresAtMs: Math.min(toMs, latestMs) };
  }
  if (expiry.termMs === null) return null;
  const byMs = "ms" in by ? by.ms : nominalMs(by.duration);
  return { ...expiry, termMs: Math.min(expiry.termMs + byMs, maxTermMs) };
}

function givenFields(wanted: WantedExpiry): ExpiryField[] {
  const given: ExpiryField[] = [];
  if (wanted.isLifetime === true) given.push("is_lifetime");
  if (typeof wanted.expiresAtMs === "number") given.push("expires_at");
  if (wanted.calendarEndMs !== undefined) given.push("expires_in");
  if (wanted.expiresInMs !== undefined) given.push("expires_in_seconds");
  if (typeof wanted.termMs === "number") given.push("term_seconds");
  return given;
}

function until(field: ExpiryField, expiresAtMs: number): ExpiryAnswer {
  if (expiresAtMs > latestMs) return refuse(field, { code: "after_year_9999", params: {} });
  if (expiresAtMs < 0) return refuse(field, { code: "before_year_1970", params: {} });
  return { ok: true, expiry: { isLifetime: false, expiresAtMs, termMs: null } };
}

/** Nothing, or only fields that do not apply. */
function withoutEnd(wanted: WantedExpiry): ExpiryAnswer {
  if (wanted.isLifetime === false) {
    if (wanted.expiresAtMs === null) return refuse("expires_at", { code: "expiry_missing", params: {} });
    return { ok: true, expiry: null };
  }
  return { ok: true, expiry: wanted.expiresAtMs === null ? lifetime : null };
}

function refuse(field: ExpiryField, fault: ExpiryFault): ExpiryAnswer {
  return { ok: false, field, fault };
}

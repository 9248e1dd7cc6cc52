import type { newLicense } from "@countersign/contract/api/license-fields";
import { fieldFault } from "@countersign/contract/problems/problems";
import { customResponseProblems } from "@countersign/domain/custom-response/check";
import { maxDepth, parseCustomResponse } from "@countersign/domain/custom-response/template";
import { addDuration, parseDuration } from "@countersign/domain/dates/duration";
import { endOfDay, isDay } from "@countersign/domain/dates/time-zone";
import { type ExpiryAnswer, type Extension, readExpiry } from "@countersign/domain/licenses/expiry";
import { type Pin, type PinAnswer, readPin } from "@countersign/domain/licenses/version-pin";
import type { LicenseRow } from "@countersign/store/tables/licenses";
import type { z } from "zod";
import { ErrorList } from "../../api/error-list.ts";
import { milliseconds } from "../../api/page.ts";
import { invalid } from "../../http/problem.ts";

export type LicenseInput = z.output<z.ZodObject<typeof newLicense>>;

/** Collects all errors, so that they are reported together. */
export class FieldErrors extends ErrorList {}

const mostMetadataBytes = 8 * 1024;

export function expiryOf(
  input: Pick<
    LicenseInput,
    "is_lifetime" | "expires_at" | "expires_in" | "expires_in_seconds" | "term_seconds"
  >,
  firstUsedAtMs: number | null,
  nowMs: number,
  timeZone: string,
): ExpiryAnswer {
  const { is_lifetime: isLifetime, expires_at: expiresAt, expires_in_seconds: inSeconds } = input;
  const term = input.term_seconds;
  const duration = input.expires_in === undefined ? null : parseDuration(input.expires_in);
  return readExpiry(
    {
      isLifetime,
      expiresAtMs: typeof expiresAt === "string" ? endMs(expiresAt, timeZone) : expiresAt,
      calendarEndMs: duration === null ? undefined : addDuration(nowMs, duration, timeZone),
      expiresInMs: inSeconds === undefined ? undefined : inSeconds * 1000,
      termMs: typeof term === "number" ? term * 1000 : term,
    },
    firstUsedAtMs,
    nowMs,
  );
}

/** A date alone means the end of that day in the organization's time zone. */
export function endMs(text: string, timeZone: string): number {
  return isDay(text) ? endOfDay(text, timeZone) : milliseconds(text);
}

/** How much to extend by, specified in one of two ways; null if neither was. */
export function extensionOf(
  body: { extend_by?: string | undefined; extend_by_seconds?: number | undefined },
  timeZone: string,
): Extension | null {
  const { extend_by: by, extend_by_seconds: bySeconds } = body;
  if (by !== undefined && bySeconds !== undefined)
    throw invalid("extend_by_seconds", "conflicts_with", { other: "extend_by" });
  if (bySeconds !== undefined) return { ms: bySeconds * 1000 };
  const duration = by === undefined ? null : parseDuration(by);
  return duration === null ? null : { duration, timeZone };
}

export function pinOf(before: Pin, input: LicenseInput): PinAnswer {
  return readPin(before, {
    mode: input.version_pin_mode,
    pinned: input.version_pinned,
    min: input.version_range_min,
    max: input.version_range_max,
  });
}

export function pinColumns(pin: Pin) {
  return {
    version_pin_mode: pin.mode,
    version_pinned: pin.pinned,
    version_range_min: pin.min,
    version_range_max: pin.max,
  } satisfies Partial<LicenseRow>;
}

/** The two JSON objects of a license as stored; omitted ones stay omitted. */
export function jsonColumns(
  input: Pick<LicenseInput, "custom_override" | "metadata">,
  prefix: string,
  errors: FieldErrors,
): { custom_override?: string | null; metadata?: string | null } {
  const columns: { custom_override?: string | null; metadata?: string | null } = {};
  const { custom_override: override, metadata } = input;
  if (override === null) columns.custom_override = null;
  else if (override !== undefined) {
    for (const { path, fault } of customResponseProblems(override))
      errors.add([`${prefix}custom_override`, ...path].join("."), fault);
    const read = parseCustomResponse(override);
    if (read.ok) columns.custom_override = JSON.stringify(read.template);
  }
  if (metadata === null) columns.metadata = null;
  else if (metadata !== undefined) {
    const read = parseCustomResponse(metadata);
    const text = read.ok ? JSON.stringify(read.template) : "";
    if (!read.ok || Buffer.byteLength(text) > mostMetadataBytes)
      errors.add(
        `${prefix}metadata`,
        fieldFault("invalid_metadata", { max_kib: mostMetadataBytes / 1024, max_depth: maxDepth }),
      );
    else columns.metadata = text;
  }
  return columns;
}

export function uniqueTags(tags: readonly string[]): string[] {
  return [...new Set(tags)].sort();
}

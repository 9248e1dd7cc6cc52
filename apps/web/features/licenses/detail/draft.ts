import type { Body } from "../../../api/client.ts";
import { readObject, writeObject } from "../../../ui/json-field.tsx";
import { fromEnd, toEnd } from "../../../ui/time-fields.tsx";
import type { License } from "./license.ts";
import { inDays, inSeconds } from "./license.ts";

/** A license as the form stores it: typed values as text. */
export interface Draft {
  readonly customer_email: string;
  readonly customer_name: string;
  readonly customer_discord_id: string;
  readonly expiry: "lifetime" | "date" | "first_use";
  readonly expires_at: string;
  readonly term_days: number | "";
  readonly ip_system_enabled: boolean;
  readonly max_ips: number | "";
  readonly version_pin_mode: "any" | "pinned" | "range";
  readonly version_pinned: string;
  readonly version_range_min: string;
  readonly version_range_max: string;
  readonly tags: readonly string[];
  readonly notes: string;
  readonly metadata: string;
  readonly custom_override: string;
}

export function draftOf(license: License): Draft {
  const { expires_at: expiresAt, term_seconds: term } = license;
  return {
    customer_email: license.customer_email ?? "",
    customer_name: license.customer_name ?? "",
    customer_discord_id: license.customer_discord_id ?? "",
    expiry: expiresAt !== null ? "date" : term !== null ? "first_use" : "lifetime",
    expires_at: toEnd(expiresAt),
    term_days: term === null ? 365 : inDays(term),
    ip_system_enabled: license.ip_system_enabled,
    max_ips: license.max_ips ?? 1,
    version_pin_mode: license.version_pin_mode ?? "any",
    version_pinned: license.version_pinned ?? "",
    version_range_min: license.version_range_min ?? "",
    version_range_max: license.version_range_max ?? "",
    tags: license.tags,
    notes: license.notes ?? "",
    metadata: writeObject(license.metadata),
    custom_override: writeObject(license.custom_override),
  };
}

/** The request body: only changed fields, so that nothing else is overwritten. */
export function changesOf(base: Draft, draft: Draft): NonNullable<Body<"updateLicense">> {
  const isChanged = (field: string) => {
    const name = field as keyof Draft;
    return JSON.stringify(base[name]) !== JSON.stringify(draft[name]);
  };
  const single = {
    customer_email: orNull(draft.customer_email),
    customer_name: orNull(draft.customer_name),
    customer_discord_id: orNull(draft.customer_discord_id),
    notes: orNull(draft.notes),
    ip_system_enabled: draft.ip_system_enabled,
    max_ips: Number(draft.max_ips),
    tags: [...draft.tags],
    metadata: objectIn(draft.metadata),
    custom_override: objectIn(draft.custom_override),
  } satisfies Body<"updateLicense">;
  return {
    ...Object.fromEntries(Object.entries(single).filter(([field]) => isChanged(field))),
    // These are only valid together.
    ...(["expiry", "expires_at", "term_days"].some(isChanged) ? expiryOf(draft) : {}),
    ...(versionFields.some(isChanged) ? versionOf(draft) : {}),
  };
}

const versionFields = ["version_pin_mode", "version_pinned", "version_range_min", "version_range_max"];

function expiryOf(draft: Draft) {
  switch (draft.expiry) {
    case "lifetime":
      return { is_lifetime: true };
    case "date":
      return { expires_at: fromEnd(draft.expires_at) };
    case "first_use":
      return { term_seconds: inSeconds(Number(draft.term_days)) };
  }
}

function versionOf(draft: Draft) {
  switch (draft.version_pin_mode) {
    case "any":
      return { version_pin_mode: null };
    case "pinned":
      return { version_pin_mode: "pinned" as const, version_pinned: orNull(draft.version_pinned) };
    case "range":
      return {
        version_pin_mode: "range" as const,
        version_range_min: orNull(draft.version_range_min),
        version_range_max: orNull(draft.version_range_max),
      };
  }
}

function orNull(text: string): string | null {
  return text.trim() === "" ? null : text;
}

function objectIn(text: string): object | null {
  const read = readObject(text);
  return read.ok ? read.value : null;
}

import { compareVersions, parseVersion } from "../versions/version.ts";

/** The versions a license can run, as stored. */
export interface Pin {
  readonly mode: "pinned" | "range" | null;
  readonly pinned: string | null;
  readonly min: string | null;
  readonly max: string | null;
}

export type WantedPin = { readonly [K in keyof Pin]?: Pin[K] | undefined };

export type PinAnswer =
  | { readonly ok: true; readonly pin: Pin }
  | { readonly ok: false; readonly field: string; readonly fault: PinFault };

export type PinFault =
  | {
      readonly code:
        | "not_a_version"
        | "pinned_version_missing"
        | "version_range_missing"
        | "version_range_empty";
      readonly params: object;
    }
  | { readonly code: "unused_in_pin_mode"; readonly params: { readonly mode: "null" | "pinned" | "range" } };

export const noPin: Pin = { mode: null, pinned: null, min: null, max: null };

const fields = {
  mode: "version_pin_mode",
  pinned: "version_pinned",
  min: "version_range_min",
  max: "version_range_max",
} as const;

/** The stored values overlaid with the specified ones. If not specified, the mode follows from the rest. */
export function readPin(before: Pin, wanted: WantedPin): PinAnswer {
  const mode = wanted.mode === undefined ? impliedMode(before, wanted) : wanted.mode;
  switch (mode) {
    case null:
      return unused(wanted, ["pinned", "min", "max"], "null") ?? { ok: true, pin: noPin };
    case "pinned": {
      const clash = unused(wanted, ["min", "max"], "pinned");
      if (clash !== null) return clash;
      const pinned = (wanted.pinned === undefined ? before.pinned : wanted.pinned)?.trim() ?? null;
      if (pinned === null) return refuse("pinned", "pinned_version_missing");
      if (parseVersion(pinned) === null) return refuse("pinned", "not_a_version");
      return { ok: true, pin: { ...noPin, mode, pinned } };
    }
    case "range": {
      const clash = unused(wanted, ["pinned"], "range");
      if (clash !== null) return clash;
      const min = (wanted.min === undefined ? before.min : wanted.min)?.trim() ?? null;
      const max = (wanted.max === undefined ? before.max : wanted.max)?.trim() ?? null;
      return checkRange(min, max) ?? { ok: true, pin: { ...noPin, mode, min, max } };
    }
  }
}

function impliedMode(before: Pin, wanted: WantedPin): Pin["mode"] {
  if (typeof wanted.pinned === "string") return "pinned";
  if (typeof wanted.min === "string" || typeof wanted.max === "string") return "range";
  return before.mode;
}

function checkRange(min: string | null, max: string | null): PinAnswer | null {
  if (min === null && max === null) return refuse("min", "version_range_missing");
  const low = min === null ? null : parseVersion(min);
  const high = max === null ? null : parseVersion(max);
  if (min !== null && low === null) return refuse("min", "not_a_version");
  if (max !== null && high === null) return refuse("max", "not_a_version");
  if (low !== null && high !== null && compareVersions(low, high) >= 0)
    return refuse("max", "version_range_empty");
  return null;
}

function unused(
  wanted: WantedPin,
  names: readonly (keyof Pin)[],
  mode: "null" | "pinned" | "range",
): PinAnswer | null {
  const name = names.find((one) => typeof wanted[one] === "string");
  if (name === undefined) return null;
  return { ok: false, field: fields[name], fault: { code: "unused_in_pin_mode", params: { mode } } };
}

function refuse(name: keyof Pin, code: Exclude<PinFault["code"], "unused_in_pin_mode">): PinAnswer {
  return { ok: false, field: fields[name], fault: { code, params: {} } };
}

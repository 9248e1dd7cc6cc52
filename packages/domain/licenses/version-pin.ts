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
  | { readonly ok: false; readonly field: string; readonly problem: string };

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
      return unused(wanted, ["pinned", "min", "max"], "version_pin_mode is null") ?? { ok: true, pin: noPin };
    case "pinned": {
      const clash = unused(wanted, ["min", "max"], 'version_pin_mode is "pinned"');
      if (clash !== null) return clash;
      const pinned = (wanted.pinned === undefined ? before.pinned : wanted.pinned)?.trim() ?? null;
      if (pinned === null) return refuse("pinned", "is missing: which version is the license pinned to?");
      if (parseVersion(pinned) === null) return refuse("pinned", notAVersion);
      return { ok: true, pin: { ...noPin, mode, pinned } };
    }
    case "range": {
      const clash = unused(wanted, ["pinned"], 'version_pin_mode is "range"');
      if (clash !== null) return clash;
      const min = (wanted.min === undefined ? before.min : wanted.min)?.trim() ?? null;
      const max = (wanted.max === undefined ? before.max : wanted.max)?.trim() ?? null;
      return checkRange(min, max) ?? { ok: true, pin: { ...noPin, mode, min, max } };
    }
  }
}

const notAVersion = "should be a version such as 2.1.0";

function impliedMode(before: Pin, wanted: WantedPin): Pin["mode"] {
  if (typeof wanted.pinned === "string") return "pinned";
  if (typeof wanted.min === "string" || typeof wanted.max === "string") return "range";
  return before.mode;
}

function checkRange(min: string | null, max: string | null): PinAnswer | null {
  if (min === null && max === null)
    return refuse("min", "or version_range_max is missing: a range has an end");
  const low = min === null ? null : parseVersion(min);
  const high = max === null ? null : parseVersion(max);
  if (min !== null && low === null) return refuse("min", notAVersion);
  if (max !== null && high === null) return refuse("max", notAVersion);
  if (low !== null && high !== null && compareVersions(low, high) >= 0)
    return refuse("max", "should be above version_range_min: the upper end is not part of the range");
  return null;
}

function unused(wanted: WantedPin, names: readonly (keyof Pin)[], because: string): PinAnswer | null {
  const name = names.find((one) => typeof wanted[one] === "string");
  return name === undefined ? null : refuse(name, `cannot be set while ${because}`);
}

function refuse(name: keyof Pin, problem: string): PinAnswer {
  return { ok: false, field: fields[name], problem };
}

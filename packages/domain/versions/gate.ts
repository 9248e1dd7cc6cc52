import type { VersionCatalog, VersionState } from "./catalog.ts";
import { compareParts, compareVersions, parseVersion, type Version } from "./version.ts";

export type VersionPin =
  | { mode: "pinned"; version: string }
  | { mode: "range"; min: string | null; max: string | null }
  | null;

interface VersionVerdict {
  readonly version: string | null;
  readonly versionValid: boolean | null;
}

/** Both the product's record and the license's pin must allow the submitted version. */
export function gateVersion(
  catalog: VersionCatalog,
  pin: VersionPin,
  submitted: string | null,
): VersionVerdict {
  const rule = readPin(pin);
  const versionValid = submitted === null ? null : isAccepted(catalog, rule, submitted);
  // A version that cannot be parsed is never named: the app would have to.
  if (pin?.mode === "pinned") return { version: rule.kind === "exact" ? pin.version : null, versionValid };
  if (submitted !== null && versionValid) return { version: submitted.trim(), versionValid };
  const [min, isInRange] = bounds(rule);
  return { version: catalog.newestVersion(min, isInRange), versionValid };
}

/** The newest record, a version or a line, that a license without a pinned version can use. */
export function newestRecord(catalog: VersionCatalog, pin: VersionPin): string | null {
  return catalog.newestRecord(...bounds(readPin(pin)));
}

function bounds(rule: PinRule): [min: Version | null, isInRange: (version: Version) => boolean] {
  if (rule.kind === "range") return [rule.min, (version) => isBelow(version, rule.max)];
  return [null, () => rule.kind === "any"];
}

type PinRule =
  | { readonly kind: "any" }
  | { readonly kind: "none" }
  | { readonly kind: "exact"; readonly version: Version }
  | { readonly kind: "range"; readonly min: Version | null; readonly max: Version | null };

const any: PinRule = { kind: "any" };
const none: PinRule = { kind: "none" };

/** A pin that cannot be parsed allows nothing: treating it as no pin would widen the license. */
function readPin(pin: VersionPin): PinRule {
  if (pin === null) return any;
  if (pin.mode === "pinned") {
    const version = parseVersion(pin.version);
    return version === null ? none : { kind: "exact", version };
  }
  const min = pin.min === null ? null : parseVersion(pin.min);
  const max = pin.max === null ? null : parseVersion(pin.max);
  if ((pin.min !== null && min === null) || (pin.max !== null && max === null)) return none;
  return { kind: "range", min, max };
}

function isAccepted(catalog: VersionCatalog, rule: PinRule, submitted: string): boolean {
  const state = stateFor(catalog, rule, submitted);
  switch (state) {
    case "allowed":
    case "deprecated":
    case "latest":
      return true;
    case "blocked":
    case "missing":
    case "unreadable":
    case "outside_pin":
      return false;
    default:
      return state satisfies never;
  }
}

/** What decides on a submitted version: its record, unless it cannot be parsed or the pin excludes it. */
export type SubmittedState = VersionState | "missing" | "unreadable" | "outside_pin";

export function submittedState(catalog: VersionCatalog, pin: VersionPin, submitted: string): SubmittedState {
  return stateFor(catalog, readPin(pin), submitted);
}

function stateFor(catalog: VersionCatalog, rule: PinRule, submitted: string): SubmittedState {
  const version = parseVersion(submitted);
  if (version === null) return "unreadable";
  return pinAllows(rule, version) ? catalog.stateOf(version) : "outside_pin";
}

function pinAllows(rule: PinRule, version: Version): boolean {
  switch (rule.kind) {
    case "any":
      return true;
    case "none":
      return false;
    case "exact":
      return compareVersions(version, rule.version) === 0;
    case "range":
      return (rule.min === null || compareVersions(version, rule.min) >= 0) && isBelow(version, rule.max);
    default:
      return rule satisfies never;
  }
}

/** 2.4.0-beta precedes 2.4.0, but a seller who says "below 2.4" does not mean to include it. */
function isBelow(version: Version, max: Version | null): boolean {
  if (max === null) return true;
  return max.prerelease.length === 0 ? compareParts(version, max) < 0 : compareVersions(version, max) < 0;
}

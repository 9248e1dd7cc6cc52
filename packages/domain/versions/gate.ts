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

/** The newest version or line that a license can use, as the seller wrote it, for people to read; null if there is none. */
export function newestUsable(catalog: VersionCatalog, pin: VersionPin): string | null {
  if (pin?.mode !== "pinned") return catalog.newestRecord(...bounds(readPin(pin)));
  return gateVersion(catalog, pin, pin.version).versionValid === true ? pin.version : null;
}

/** Whether a license can use this version or a newer one. */
export function canUseFrom(catalog: VersionCatalog, pin: VersionPin, version: string): boolean {
  const from = parseVersion(version);
  if (from === null) return false;
  if (pin === null) return newestUsable(catalog, { mode: "range", min: version, max: null }) !== null;
  if (pin.mode === "pinned") {
    const pinned = parseVersion(pin.version);
    return pinned !== null && compareVersions(pinned, from) >= 0 && newestUsable(catalog, pin) !== null;
  }
  const min = pin.min === null ? null : parseVersion(pin.min);
  // A pin that cannot be parsed allows nothing.
  if (pin.min !== null && min === null) return false;
  const isHigher = min === null || compareVersions(from, min) > 0;
  return newestUsable(catalog, { ...pin, min: isHigher ? version : pin.min }) !== null;
}

/** What a validation does with a version that is not allowed: refuse, or only report it. */
export type VersionChecks = "enforce" | "report";

interface VersionCheckFacts {
  /** The product's settings. */
  readonly enabled: boolean;
  readonly enforcement: VersionChecks;
  /** Whether the organization's plan includes the version module. */
  readonly inPlan: boolean;
  /** Whether one of its plans ever did. */
  readonly hadModule: boolean;
  /** What the organization chose for plans that do not. */
  readonly onDowngrade: VersionChecks;
}

/**
 * How a product checks versions; null if it does not. Leaving a plan with the version module must not grant a version
 * that was refused: the checks go on until the organization chooses to report only.
 */
export function versionChecks(facts: VersionCheckFacts): VersionChecks | null {
  if (!facts.enabled) return null;
  if (facts.inPlan) return facts.enforcement;
  if (!facts.hadModule) return null;
  return facts.enforcement === "enforce" ? facts.onDowngrade : "report";
}

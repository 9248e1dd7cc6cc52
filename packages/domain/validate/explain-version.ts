import { gateVersion, type SubmittedState, submittedState, type VersionPin } from "../versions/gate.ts";
import type { RuleResult } from "./explain-facts.ts";
import type { ExplainReason } from "./explain-reasons.ts";
import type { ProductFacts } from "./facts.ts";
import { refusesVersion } from "./rules.ts";

/** The rule about the version: the product's list and the license's pin must both allow it. */
export function explainVersion(product: ProductFacts, pin: VersionPin, version: string | null): RuleResult {
  const { versions } = product;
  if (versions === null) return { passed: null, reason: "versions_not_checked", facts: { version } };
  const gate = gateVersion(versions.catalog, pin, version);
  const facts = {
    version,
    enforced: versions.enforced,
    version_pinned: pin?.mode === "pinned" ? pin.version : null,
    version_range_min: pin?.mode === "range" ? pin.min : null,
    version_range_max: pin?.mode === "range" ? pin.max : null,
    suggested_version: gate.version,
  };
  if (version === null) return { passed: null, reason: "no_version_given", facts };
  const state = submittedState(versions.catalog, pin, version);
  const withState = { ...facts, state };
  if (gate.versionValid) return { passed: true, reason: "version_allowed", facts: withState };
  return refusesVersion(product, gate.versionValid)
    ? { passed: false, reason: refusals[state], facts: withState }
    : { passed: true, reason: "version_reported_only", facts: withState };
}

const refusals: Record<SubmittedState, ExplainReason> = {
  allowed: "version_allowed",
  deprecated: "version_allowed",
  latest: "version_allowed",
  blocked: "version_blocked",
  missing: "version_missing",
  unreadable: "version_unreadable",
  outside_pin: "version_outside_pin",
};

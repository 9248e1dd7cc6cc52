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

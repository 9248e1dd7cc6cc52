import type { ExplainReason, RuleFacts } from "./explain-reasons.ts";
import type { LicenseFacts, ProductFacts } from "./facts.ts";

/** A hypothetical request, and everything that its rules look at. */
export interface ExplainedRequest {
  readonly product: ProductFacts;
  readonly license: LicenseFacts | null;
  /** Null if it is not known: then no rule about it refuses. */
  readonly ip: ExplainedIp | null;
  readonly version: string | null;
  readonly atMs: number;
  readonly admission: AdmissionFacts;
  readonly details: ExplainDetails;
}

export interface ExplainedIp {
  readonly text: string;
  /** The first block that covers it. */
  readonly block: BlockDetails | null;
  readonly registered: boolean;
}

/** Organizations learn only that the platform blocks an IP address. */
export type BlockDetails = OrganizationBlock | { readonly level: "platform" };

interface OrganizationBlock {
  readonly cidr: string;
  readonly level: "organization" | "customer" | "license";
  readonly note: string | null;
  readonly sinceMs: number;
  readonly untilMs: number | null;
}

/** What is checked before a request is decided. */
interface AdmissionFacts {
  /** The beginnings of the product's usable API keys. */
  readonly apiKeys: readonly string[];
  /** Null for no limit. */
  readonly dailyLimit: number | null;
  /** The requests counted on the day of the request; null for a past day, of which only the total is known. */
  readonly usedThatDay: number | null;
}

/** What no rule decides on, but an explanation says. */
interface ExplainDetails {
  readonly suspendedAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly revokedReason: string | null;
  /** Some of the license's registered IP addresses; null if they are not shown. */
  readonly registeredIps: readonly string[] | null;
}

/** `passed` is null if the rule does not apply. */
export interface RuleResult {
  readonly passed: boolean | null;
  readonly reason: ExplainReason;
  readonly facts: RuleFacts;
}

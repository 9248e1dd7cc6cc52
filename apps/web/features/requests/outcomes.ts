import type { RequestOutcome } from "@countersign/domain/validate/status";

type Tone = "good" | "warn" | "bad" | "off";

/** How serious an outcome is. A request that no rule has decided on needs attention from the seller, not the customer. */
export function toneOf(outcome: RequestOutcome): Tone {
  switch (outcome) {
    case "active":
    case "found":
      return "good";
    case "not_found":
      return "off";
    case "rate_limit_exceeded":
    case "body_too_large":
    case "body_timeout":
      return "warn";
    default:
      return "bad";
  }
}

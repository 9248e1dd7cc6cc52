import type { ExplainedRequest, RuleResult } from "./explain-facts.ts";
import type { CallerFacts, LicenseFacts } from "./facts.ts";
import { ipSlot } from "./rules.ts";

/** The two rules about registered IP addresses. At most one of them refuses, as one check decides both. */
export function explainIp(
  rule: "ip_not_registered" | "ip_limit_reached",
  { product, ip, details }: Pick<ExplainedRequest, "product" | "ip" | "details">,
  license: LicenseFacts,
  caller: CallerFacts,
): RuleResult {
  const facts = {
    ip: ip?.text ?? null,
    ip_registered: ip?.registered ?? null,
    registered: license.ips?.registered ?? null,
    max_ips: license.ips?.max ?? null,
    registration: product.registration,
    ...(details.registeredIps === null ? {} : { registered_ips: [...details.registeredIps] }),
  };
  if (!product.trackIp) return { passed: null, reason: "ip_not_checked", facts };
  if (license.ips === null) return { passed: null, reason: "ip_system_off", facts };
  if (ip === null) return { passed: null, reason: "no_ip_given", facts };
  const slot = ipSlot(product, license, caller);
  return rule === "ip_not_registered"
    ? { ...registrationResults[slot](product.registration), facts }
    : { ...limitResults[slot](product.registration), facts };
}

type Slot = ReturnType<typeof ipSlot>;
type Results = Record<Slot, (registration: string) => Omit<RuleResult, "facts">>;

const registrationResults: Results = {
  held: () => ({ passed: true, reason: "ip_registered" }),
  free: () => ({ passed: true, reason: "ip_can_register" }),
  ip_not_registered: (registration) => ({
    passed: false,
    reason: registration === "off" ? "ip_not_registered" : "ip_not_first",
  }),
  ip_limit_reached: () => ({ passed: null, reason: "limit_decides" }),
};

const limitResults: Results = {
  held: () => ({ passed: true, reason: "needs_no_slot" }),
  free: () => ({ passed: true, reason: "slot_free" }),
  // With `first_only`, this rule comes before the other in effect: a slot is free, or it would have refused.
  ip_not_registered: (registration) =>
    registration === "off"
      ? { passed: null, reason: "registration_off" }
      : { passed: true, reason: "slot_free" },
  ip_limit_reached: () => ({ passed: false, reason: "ip_limit_reached" }),
};

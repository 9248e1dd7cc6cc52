import { moment } from "@countersign/domain/mail/translate";
import { compose } from "../mail/compose.ts";
import type { Email, Recipient } from "../mail/email.ts";

/** A product that has reached 80 % or all of its daily limit. */
export interface QuotaFacts {
  readonly organization: string;
  readonly product: string;
  readonly used: number;
  readonly limit: number;
  readonly resetsAtMs: number;
  /** Null if the limit will not be reached today, or if that cannot be told yet. */
  readonly runsOutAtMs: number | null;
  readonly timeZone: string;
  /** The page that shows the usage. */
  readonly url: string;
}

export function quotaWarningEmail(to: Recipient, facts: QuotaFacts): Email {
  const { runsOutAtMs, timeZone } = facts;
  return compose(to, "quota_warning", {
    values: {
      product: facts.product,
      organization: facts.organization,
      ...(runsOutAtMs === null ? {} : { when: moment(to.language, runsOutAtMs, timeZone) }),
    },
    before: ["quota_warning.what", ...(runsOutAtMs === null ? [] : (["quota_warning.forecast"] as const))],
    facts: usageFacts(to, facts),
    action: { label: "quota_warning.action", url: facts.url },
    after: ["quota_warning.then", "quota_warning.more"],
  });
}

export function quotaExhaustedEmail(to: Recipient, facts: QuotaFacts): Email {
  return compose(to, "quota_exhausted", {
    values: {
      product: facts.product,
      organization: facts.organization,
      when: moment(to.language, facts.resetsAtMs, facts.timeZone),
    },
    before: ["quota_exhausted.what", "quota_exhausted.until"],
    facts: usageFacts(to, facts),
    action: { label: "quota_warning.action", url: facts.url },
    after: ["quota_warning.more"],
  });
}

/** The last one of the day: more products have reached a limit. */
export function quotaMoreEmail(
  to: Recipient,
  facts: Pick<QuotaFacts, "organization" | "url"> & { readonly most: number },
): Email {
  return compose(to, "quota_more", {
    values: { organization: facts.organization, most: facts.most },
    before: ["quota_more.what", "quota_more.last"],
    action: { label: "quota_warning.action", url: facts.url },
  });
}

function usageFacts({ language }: Recipient, { product, used, limit, resetsAtMs, timeZone }: QuotaFacts) {
  const number = new Intl.NumberFormat(language);
  return [
    { label: "label.product", value: product },
    { label: "label.requests_today", value: `${number.format(used)} / ${number.format(limit)}` },
    { label: "label.resets", value: moment(language, resetsAtMs, timeZone) },
  ] as const;
}

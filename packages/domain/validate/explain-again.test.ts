import { expect, test } from "bun:test";
import { sampleLicense, sampleProduct } from "../../../tests/support/sample-facts.ts";
import type { ExplainedRequest } from "./explain.ts";
import { explainAgain, type LoggedRequest } from "./explain-again.ts";

const known: ExplainedRequest = {
  product: sampleProduct,
  license: { ...sampleLicense, revoked: true },
  ip: null,
  version: null,
  atMs: 0,
  admission: { apiKeys: ["csk_a"], dailyLimit: 10, usedThatDay: 3 },
  details: { suspendedAtMs: null, revokedAtMs: 1, revokedReason: null, registeredIps: null },
};
const gone = { ...known, license: null };
const limited = { ...gone, admission: { ...gone.admission, usedThatDay: 10 } };
const suspended = { ...gone, product: { ...sampleProduct, organizationSuspended: true } };
const deleted = { ...gone, product: { ...sampleProduct, deleted: true } };
const keyless = { ...known, admission: { ...known.admission, apiKeys: [] } };
const once = { problem: null, count: 1, sandbox: false };
const logged: LoggedRequest = { endpoint: "validate", outcome: "active", licenseId: "l", ...once };
const unknown = { ...logged, licenseId: null };
const notFound = { ...unknown, outcome: "license_not_found" } as const;
const overLimit = { ...unknown, outcome: "rate_limit_exceeded" } as const;
const sandbox = { ...unknown, sandbox: true };
const lookup = { ...logged, endpoint: "lookup", outcome: "found" } as const;
const unknownLookup = { ...lookup, licenseId: null, outcome: "not_found" } as const;

const unread = { ...unknown, outcome: "body_timeout" } as const;
const empty = { ...notFound, problem: "The body is empty." };
const lookupNow = { ...suspended, license: known.license };
const usedUp = "rate_limit_exceeded";
type Row = [LoggedRequest, ExplainedRequest, outcome: string | null, why: string | null, rules: number];

const rows: Record<string, Row> = {
  "all facts": [logged, known, "revoked", null, 14],
  "the license deleted": [logged, gone, null, "license_deleted", 7],
  "the license deleted and the limit used up": [logged, limited, usedUp, "license_deleted", 7],
  "an unknown key": [notFound, gone, null, "key_not_stored", 7],
  "no key in the body": [empty, gone, "license_not_found", "no_key_sent", 8],
  "the limit reached before": [overLimit, gone, null, "not_looked_up", 7],
  "a body that was not read": [unread, suspended, "org_suspended", "not_looked_up", 7],
  "a sum of many": [{ ...overLimit, count: 40 }, limited, usedUp, "summed_up", 7],
  "the product deleted": [logged, deleted, "product_not_found", "product_deleted", 7],
  "a lookup, without the rules of a validation": [lookup, known, "found", null, 3],
  "a lookup, the organization suspended": [lookup, lookupNow, "found", null, 3],
  "a lookup, the license deleted": [lookup, gone, null, "license_deleted", 2],
  "a lookup of an unknown key": [unknownLookup, gone, null, "key_not_stored", 2],
  "a lookup, the product deleted": [lookup, deleted, "not_found", "product_deleted", 3],
  "a lookup, no API key left": [lookup, keyless, "invalid_api_key", null, 3],
  "the sandbox": [{ ...sandbox, outcome: "expired", count: 7 }, limited, "expired", "sandbox", 0],
  "the sandbox of a deleted product": [sandbox, deleted, "invalid_api_key", "product_deleted", 0],
};
test.each(Object.entries(rows))(
  "a logged request is explained again with %s",
  (_, [asked, now, outcome, why, rules]) => {
    const again = explainAgain(asked, now);
    const accepted = outcome === null ? null : outcome === "active" || outcome === "found";
    expect(again).toMatchObject({ outcome, unrepeatable: why, accepted });
    expect(again.rules.length).toBe(rules);
  },
);

import { expect, test } from "bun:test";
import { listed } from "../../../tests/support/listed.ts";
import { answerBody, isoTime } from "./answer.ts";
import { decide, type Verdict } from "./decide.ts";
import { nowMs, passing } from "./sample-facts.ts";
import { type Outcome, validateStatuses } from "./status.ts";

const members = listed(
  "valid status expires ip_registered ip_count max_ips version version_valid custom signature",
);

const verdict: Verdict = decide(passing.product, passing.license, passing.caller, nowMs);

const outcomes = validateStatuses.filter(
  (status): status is Outcome => status !== "invalid_api_key" && status !== "rate_limit_exceeded",
);
test.each(outcomes)("every outcome is answered with exactly the ten members, in order: %s", (status) => {
  const body = JSON.parse(answerBody({ ...verdict, status }, null));
  expect(Object.keys(body)).toEqual(members);
  expect(body.status).toBe(status);
  expect(body.valid).toBe(status === "active");
});

test("members that have nothing to say are null, never left out", () => {
  const { product, caller } = passing;
  expect(answerBody(decide(product, null, caller, nowMs), null)).toBe(
    '{"valid":false,"status":"license_not_found","expires":null,"ip_registered":null,"ip_count":null,' +
      '"max_ips":null,"version":null,"version_valid":null,"custom":null,"signature":null}',
  );
});

test("a valid answer, byte for byte", () => {
  expect(answerBody(verdict, { plan: "pro" })).toBe(
    '{"valid":true,"status":"active","expires":"2030-06-16T12:00:00.000Z","ip_registered":false,"ip_count":1,' +
      '"max_ips":3,"version":"2.0.0","version_valid":true,"custom":{"plan":"pro"},"signature":null}',
  );
});

test("a custom member cannot pass for one of the ten", () => {
  const body = JSON.parse(answerBody({ ...verdict, status: "revoked" }, { valid: true, status: "active" }));
  expect(body).toMatchObject({ valid: false, status: "revoked", custom: { valid: true } });
});

test("times are ISO 8601 in UTC", () => {
  expect(isoTime(Date.UTC(2031, 0, 2, 3, 4, 5, 6))).toBe("2031-01-02T03:04:05.006Z");
  expect(isoTime(null)).toBeNull();
});

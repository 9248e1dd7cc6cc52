import { expect, test } from "bun:test";
import { nowMs, passing } from "../../../tests/support/sample-facts.ts";
import { answerBody } from "./answer.ts";
import { decide } from "./decide.ts";

const { product, caller } = passing;
const verdict = decide(product, passing.license, caller, nowMs);

test("members without a value are null, and never omitted", () => {
  expect(answerBody(decide(product, null, caller, nowMs), null)).toBe(
    '{"valid":false,"status":"license_not_found","expires":null,"ip_registered":null,"ip_count":null,' +
      '"max_ips":null,"version":null,"version_valid":null,"custom":null,"signature":null}',
  );
});

test("a valid response has exactly the documented bytes", () => {
  expect(answerBody(verdict, { plan: "pro" })).toBe(
    '{"valid":true,"status":"active","expires":"2030-06-16T12:00:00.000Z","ip_registered":false,"ip_count":1,' +
      '"max_ips":3,"version":"2.0.0","version_valid":true,"custom":{"plan":"pro"},"signature":null}',
  );
});

test("a custom member cannot replace one of the ten members", () => {
  const body = JSON.parse(answerBody({ ...verdict, status: "revoked" }, { valid: true, status: "active" }));
  expect(body).toMatchObject({ valid: false, status: "revoked", custom: { valid: true } });
});

import { expect, test } from "bun:test";
import { signWebhook, verifyWebhook } from "../src/index.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const event = { type: "license.revoked", data: { license: { id: "lic_1" } } };

test("a signed event is verified, in every form of its body and headers", () => {
  const { body, headers } = signWebhook(event, { secret });
  const bytes = new TextEncoder().encode(body);
  const entries = Object.entries(headers);
  const upper = Object.fromEntries(entries.map(([name, value]) => [name.toUpperCase(), value]));
  const lists = Object.fromEntries(entries.map(([name, value]) => [name, [value]]));
  for (const form of [body, bytes, bytes.slice().buffer, Buffer.from(body)])
    for (const given of [headers, upper, lists, new Headers(headers)])
      expect(verifyWebhook(form, given, { secret })).toMatchObject({ id: headers["webhook-id"], ...event });
});

test("a part of a larger buffer is verified alone", () => {
  const { body, headers } = signWebhook(event, { secret });
  const padded = Buffer.from(`xx${body}yy`);
  expect(verifyWebhook(padded.subarray(2, -2), headers, { secret }).type).toBe("license.revoked");
});

test("each delivery has an ID of its own, and the time", () => {
  const [first, second] = [signWebhook(event, { secret }), signWebhook(event, { secret })];
  expect(first.headers["webhook-id"]).not.toBe(second.headers["webhook-id"]);
  const { timestamp } = verifyWebhook(first.body, first.headers, { secret });
  expect(timestamp.getTime()).toBeGreaterThan(Date.now() - 60_000);
});

test("secrets in a list or separated by commas are all accepted", () => {
  const { body, headers } = signWebhook(event, { secret });
  for (const known of [[other, secret], `${other},${secret}`, `${other} , ${secret}`, [`${other},${secret}`]])
    expect(verifyWebhook(body, headers, { secret: known }).type).toBe("license.revoked");
  expect(() => verifyWebhook(body, headers, { secret: other })).toThrow("does not match");
});

test("what is no secret is an error of the app", () => {
  const { body, headers } = signWebhook(event, { secret });
  const tooShort = `whsec_${Buffer.alloc(23, 7).toString("base64")}`;
  const notBase64 = "whsec_not base64 at all, not base64 at all";
  const lists = [[], ["whsec_"], [secret, "whsec_c2hvcnQ="]];
  for (const wrong of [undefined, "", "whsec_", `${secret},`, tooShort, notBase64, ...lists]) {
    expect(() => verifyWebhook(body, headers, { secret: wrong })).toThrow(TypeError);
    expect(() => signWebhook(body, { secret: String(wrong) })).toThrow(TypeError);
  }
});

test.each([[null], [undefined], [42], [{}], [{ type: "license.revoked" }]])("%p is not signed", (given) => {
  expect(() => signWebhook(given as never, { secret })).toThrow(TypeError);
});

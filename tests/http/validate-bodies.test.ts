import { expect, setDefaultTimeout, test } from "bun:test";
import { countedRequests, openPublicApiFixture } from "../support/public-api-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { expectedBody } from "./arrange-outcome.ts";

setDefaultTimeout(60_000);

const maxBytes = 16 * 1024;
const notJson = "The body is not JSON. Send a JSON object with a license_key.";
const notObject = "The body is not a JSON object. Send an object with a license_key.";

/**
 * Bodies that contain no license key, each with the hint in the response and in the request log. Others are tested in
 * apps/server/features/validate/body.test.ts.
 */
const unusable: readonly [what: string, body: string | Uint8Array | null, hint: string | null][] = [
  ["no body and no length", null, notJson],
  ["bytes that are not UTF-8", Uint8Array.of(0xff, 0xfe, 0xfd), notJson],
  ["a number", "7", notObject],
  ["an object without the key", "{}", "The body has no license_key. Send the license key as a string."],
  ["a key that contains a NUL", '{"license_key":"A\\u0000B"}', null],
  ["a key with an unpaired surrogate", '{"license_key":"\\ud800"}', null],
  ["a key with invalid UTF-8", Buffer.from('{"license_key":"\xc3\x28"}', "latin1"), null],
  ["a very long key", `{"license_key":"${"A".repeat(16_000)}"}`, null],
  ["arrays nested 16,000 deep and never closed", "[".repeat(16_000), notJson],
  ["closed arrays nested 8,000 deep", "[".repeat(8_000) + "]".repeat(8_000), notObject],
];

const versionIgnored = "version is not a string and was ignored.";
/** Members and bytes around the license key, `KEY`. */
const usable: readonly [what: string, body: string, status: string, hint: string | null][] = [
  ["a leading byte order mark", '\uFEFF{"license_key":"KEY"}', "active", null],
  ["a number as version", '{"license_key":"KEY","version":2}', "active", versionIgnored],
  ["a NUL in the version", '{"license_key":"KEY","version":"1\\u0000"}', "version_not_allowed", null],
  ["a NUL in the device_id", '{"license_key":"KEY","device_id":"a\\u0000b"}', "active", null],
  ["an unpaired surrogate as device_id", '{"license_key":"KEY","device_id":"\\udfff"}', "active", null],
];

testsOn(
  "sqlite",
  "bodies of validate",
  (make) => openPublicApiFixture(make, { settings: { version_module_enabled: 1 } }),
  (fixture) => {
    const validateCounted = async (...request: Parameters<typeof fixture.api.validateRaw>) => {
      const before = await countedRequests(fixture.org);
      const answer = await fixture.api.validateRaw(...request);
      expect(await countedRequests(fixture.org)).toBe(before + 1);
      return answer;
    };

    test.each(unusable)("a validation with %s counts and gets license_not_found", async (_, body, hint) => {
      const answer = await validateCounted(body);
      expect(answer).toMatchObject({ status: 200, text: expectedBody({ status: "license_not_found" }) });
      expect(answer.headers.get("x-countersign-problem")).toBe(hint);
    });

    test.each(usable)("a body is read despite %s", async (_, body, status, hint) => {
      const { key } = await fixture.org.license();
      const answer = await validateCounted(body.replace("KEY", key), { "content-type": "text/plain" });
      expect(answer.body.status).toBe(status);
      expect(answer.headers.get("x-countersign-problem")).toBe(hint);
    });

    test.each([
      ["with a known length", (body: string) => body],
      ["in chunks", inChunks],
    ])("a body %s is read up to 16 KiB, and a longer one gets 413 and is counted", async (_, send) => {
      const { key } = await fixture.org.license();
      const ofLength = (length: number) => {
        const start = `{"license_key":"${key}","padding":"`;
        return send(`${start}${"x".repeat(length - start.length - 2)}"}`);
      };
      expect((await validateCounted(ofLength(maxBytes))).body.status).toBe("active");
      for (const length of [maxBytes + 1, 1 << 20])
        expect((await validateCounted(ofLength(length))).body).toEqual({
          message: "The body is larger than 16384 bytes.",
          error: "Content Too Large",
          statusCode: 413,
        });
    });
  },
);

/** Sent in pieces, so that there is no Content-Length. */
async function* inChunks(body: string) {
  for (let at = 0; at < body.length; at += 4_000) yield Buffer.from(body.slice(at, at + 4_000));
}

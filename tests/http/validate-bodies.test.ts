import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { on } from "../support/databases.ts";
import {
  countedRequests,
  openPublicApiFixture,
  type PublicApiFixture,
} from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const maxBytes = 16 * 1024;
const notFound =
  '{"valid":false,"status":"license_not_found","expires":null,"ip_registered":null,"ip_count":null,"max_ips":null,"version":null,"version_valid":null,"custom":null,"signature":null}';

const notJson = "The body is not JSON. Send a JSON object with a license_key.";
const notObject = "The body is not a JSON object. Send an object with a license_key.";
const noKey = "The body has no license_key. Send the license key as a string.";
const keyNotText = "license_key is not a string. Send the license key as a string.";

/** Bodies that contain no license key. Each is authenticated, counted, and answered like an unknown key. */
const unusable: readonly { body: string | Uint8Array; what: string; problem: string | null }[] = [
  { what: "an empty body", body: "", problem: notJson },
  { what: "only spaces", body: "   ", problem: notJson },
  { what: "text", body: "license_key=1", problem: notJson },
  { what: "truncated JSON", body: '{"license_key":"A', problem: notJson },
  { what: "two JSON values", body: '{"license_key":"A"}{"license_key":"B"}', problem: notJson },
  { what: "a trailing comma", body: '{"license_key":"A",}', problem: notJson },
  { what: "single quotes", body: "{'license_key':'A'}", problem: notJson },
  { what: "a single NUL", body: "\0", problem: notJson },
  { what: "bytes that are not UTF-8", body: Uint8Array.of(0xff, 0xfe, 0xfd), problem: notJson },
  { what: "an array", body: '["license_key"]', problem: notObject },
  { what: "an array that contains the object", body: '[{"license_key":"A"}]', problem: notObject },
  { what: "null", body: "null", problem: notObject },
  { what: "a number", body: "7", problem: notObject },
  { what: "a string", body: '"license_key"', problem: notObject },
  { what: "true", body: "true", problem: notObject },
  { what: "an object without the key", body: "{}", problem: noKey },
  { what: "the key under another name", body: '{"licenseKey":"A"}', problem: noKey },
  { what: "the key only inside __proto__", body: '{"__proto__":{"license_key":"A"}}', problem: noKey },
  { what: "a null key", body: '{"license_key":null}', problem: keyNotText },
  { what: "a number as key", body: '{"license_key":1234}', problem: keyNotText },
  { what: "a boolean as key", body: '{"license_key":true}', problem: keyNotText },
  { what: "an array as key", body: '{"license_key":["A"]}', problem: keyNotText },
  { what: "an object as key", body: '{"license_key":{"a":1}}', problem: keyNotText },
  { what: "an empty key", body: '{"license_key":""}', problem: null },
  { what: "a key of only spaces", body: '{"license_key":"   "}', problem: null },
  { what: "a key that contains a NUL", body: '{"license_key":"A\\u0000B"}', problem: null },
  { what: "a key with an unpaired surrogate", body: '{"license_key":"\\ud800"}', problem: null },
  { what: "a key with invalid UTF-8", body: keyWithBytes([0xc3, 0x28]), problem: null },
  { what: "a very long key", body: `{"license_key":"${"A".repeat(16_000)}"}`, problem: null },
  { what: "arrays nested 16,000 deep and never closed", body: "[".repeat(16_000), problem: notJson },
  {
    what: "closed arrays nested 8,000 deep",
    body: "[".repeat(8_000) + "]".repeat(8_000),
    problem: notObject,
  },
  {
    what: "objects nested 3,000 deep",
    body: `${'{"a":'.repeat(2_700)}1${"}".repeat(2_700)}`,
    problem: noKey,
  },
];

/** Bodies that contain the license key, `KEY`, in an unusual form. `problem` is the hint in the request log. */
const usable: readonly { body: string; what: string; problem?: string }[] = [
  { what: "unknown members", body: '{"extra":1,"license_key":"KEY","nested":{"a":[1]}}' },
  { what: "whitespace around everything", body: '\r\n\t {  "license_key" :\n"KEY" }  \n' },
  { what: "a leading byte order mark", body: '\uFEFF{"license_key":"KEY"}' },
  { what: "two keys, of which the last counts", body: '{"license_key":"none","license_key":"KEY"}' },
  { what: "an escape in the name of the key member", body: '{"license\\u005fkey":"KEY"}' },
  { what: "a null version", body: '{"license_key":"KEY","version":null}' },
  { what: "a null device_id", body: '{"license_key":"KEY","device_id":null}' },
  {
    what: "a number as version",
    body: '{"license_key":"KEY","version":2}',
    problem: "version is not a string and was ignored.",
  },
  {
    what: "an object as version",
    body: '{"license_key":"KEY","version":{"major":2}}',
    problem: "version is not a string and was ignored.",
  },
  {
    what: "a number as device_id",
    body: '{"license_key":"KEY","device_id":7}',
    problem: "device_id is not a string and was ignored.",
  },
  {
    what: "an array as device_id",
    body: '{"license_key":"KEY","device_id":["a"]}',
    problem: "device_id is not a string and was ignored.",
  },
  { what: "a device_id of 256 characters", body: `{"license_key":"KEY","device_id":"${"d".repeat(256)}"}` },
  {
    what: "a device_id of 257 characters",
    body: `{"license_key":"KEY","device_id":"${"d".repeat(257)}"}`,
    problem: "device_id is longer than 256 characters and was ignored.",
  },
  { what: "a device_id that contains a NUL", body: '{"license_key":"KEY","device_id":"a\\u0000b"}' },
  { what: "a version that contains a NUL", body: '{"license_key":"KEY","version":"1\\u0000"}' },
  { what: "an unpaired surrogate as device_id", body: '{"license_key":"KEY","device_id":"\\udfff"}' },
  { what: "a wrong content type", body: '{"license_key":"KEY"}' },
];

for (const { kind, make } of on("sqlite")) {
  describe(`the body of validate on ${kind}`, () => {
    let fixture: PublicApiFixture;
    let key = "";
    beforeAll(async () => {
      fixture = await openPublicApiFixture(make, { settings: { version_module_enabled: 1 } });
      key = (await fixture.org.license({ maxIps: null })).key;
    });
    afterAll(() => fixture.close());

    const countedOnce = async (work: () => Promise<void>) => {
      const before = await countedRequests(fixture.org);
      await work();
      expect(await countedRequests(fixture.org)).toBe(before + 1);
    };

    for (const { what, body, problem } of unusable) {
      test(`${what} is counted and answered like an unknown key`, () =>
        countedOnce(async () => {
          const answer = await fixture.api.validateRaw(body);
          expect(answer.status).toBe(200);
          expect(answer.text).toBe(notFound);
          expect(answer.headers.get("x-countersign-problem")).toBe(problem);
        }));
    }

    for (const { what, body, problem } of usable) {
      test(`the license is found despite ${what}`, () =>
        countedOnce(async () => {
          const headers = what.includes("content type") ? { "content-type": "text/plain" } : {};
          const answer = await fixture.api.validateRaw(body.replace("KEY", key), headers);
          expect(answer.headers.get("x-countersign-problem")).toBe(problem ?? null);
          if (what.startsWith("a version that contains"))
            expect(answer.body.status).toBe("version_not_allowed");
          else expect(answer.body.status).toBe("active");
          if (!what.startsWith("a version that contains")) expect(answer.body.version_valid).toBeNull();
        }));
    }

    test("a request without a body and a length is counted and answered like an unknown key", () =>
      countedOnce(async () => {
        expect((await fixture.api.validateRaw(null)).text).toBe(notFound);
      }));

    const ofLength = (length: number) => {
      const start = `{"license_key":"${key}","padding":"`;
      return `${start}${"x".repeat(length - start.length - 2)}"}`;
    };
    const lengths: readonly (readonly [string, (body: string) => string | ReadableStream<Uint8Array>])[] = [
      ["with a known length", (body) => body],
      ["in chunks", inChunks],
    ];
    for (const [how, send] of lengths) {
      test(`a body of exactly 16 KiB ${how} is read`, () =>
        countedOnce(async () => {
          expect((await fixture.api.validateRaw(send(ofLength(maxBytes)))).body.status).toBe("active");
        }));

      test(`a body of one byte more ${how} gets 413 and is counted`, () =>
        countedOnce(async () => {
          const answer = await fixture.api.validateRaw(send(ofLength(maxBytes + 1)));
          expect(answer.status).toBe(413);
          expect(answer.body).toEqual({
            message: "The body is larger than 16384 bytes.",
            error: "Content Too Large",
            statusCode: 413,
          });
        }));

      test(`a body of a megabyte ${how} gets 413`, async () => {
        expect((await fixture.api.validateRaw(send(ofLength(1 << 20)))).status).toBe(413);
      });
    }

    test("the request log shows the problem with a body, the version and the device", async () => {
      const answer = await fixture.api.validateRaw('{"license_key":5}');
      const other = await fixture.api.validate({
        license_key: key,
        version: "1.2.3",
        device_id: "machine-9",
      });
      const logged = async (id: string | null) => {
        const [row] = await requestLog(fixture.org.store, { id: id ?? "" });
        if (row === undefined) return undefined;
        const { status, problem, version, device_id, ip } = row;
        return { status, problem, version, device_id, ip };
      };
      const [first, second] = [answer.headers.get("x-request-id"), other.headers.get("x-request-id")];
      await until(
        "the log shows both",
        async () => ((await logged(first)) && (await logged(second))) !== undefined,
      );
      expect(await logged(first)).toEqual({
        status: "license_not_found",
        problem: keyNotText,
        version: null,
        device_id: null,
        ip: "127.0.0.1",
      });
      expect(await logged(second)).toEqual({
        status: "version_not_allowed",
        problem: null,
        version: "1.2.3",
        device_id: "machine-9",
        ip: "127.0.0.1",
      });
    });
  });
}

function keyWithBytes(bytes: readonly number[]): Uint8Array {
  return Buffer.concat([Buffer.from('{"license_key":"'), Uint8Array.from(bytes), Buffer.from('"}')]);
}

/** Sent in pieces, so that there is no Content-Length. */
function inChunks(body: string): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(body);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + 4_000));
      at += 4_000;
    },
  });
}

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../../tests/support/for-all.ts";
import { asKeyMatch, readValidateBody } from "./body.ts";

describe("unusable bodies", () => {
  const rows: [problem: string, ...texts: string[]][] = [
    ["The body is not JSON.", "", "   ", "license_key=A", '{"license_key":"A"', "\uFEFF{}"],
    ["The body is not JSON.", '{"license_key":"A"}{"license_key":"B"}', '{"license_key":"A",}'],
    ["The body is not JSON.", "{'license_key':'A'}"],
    ["The body is not a JSON object.", "null", "[]", '[{"license_key":"A"}]', '"A"', "7", "true"],
    ["The body has no license_key.", "{}", '{"LICENSE_KEY":"A"}', '{"__proto__":{"license_key":"A"}}'],
    ["license_key is not a string.", '{"license_key":null}', '{"license_key":7}', '{"license_key":["A"]}'],
  ];
  test.each(rows.flatMap(([problem, ...texts]) => texts.map((text) => [text, problem] as const)))(
    "the body %s has no usable license key, which is reported",
    (text, problem) => {
      const body = readValidateBody(text);
      expect(body).toMatchObject({ licenseKey: "", keyMatch: null, version: null, deviceId: null });
      expect(body.problem).toStartWith(problem);
      expect(body.problem).toContain("Send");
    },
  );
});

describe("usable bodies", () => {
  const longest = "d".repeat(256);
  type Read = [version: string | null, deviceId: string | null, problem: string | null];
  const notString = (name: string): Read => [null, null, `${name} is not a string and was ignored.`];
  const tooLong = "device_id is longer than 256 characters and was ignored.";
  const rows: [why: string, members: object, Read][] = [
    ["without other members", {}, [null, null, null]],
    ["with everything", { version: "1.2", device_id: "d" }, ["1.2", "d", null]],
    ["with nulls", { version: null, device_id: null }, [null, null, null]],
    ["with empty texts", { version: "", device_id: "" }, ["", "", null]],
    ["with unknown members", { hwid: "x", nested: { a: [1] } }, [null, null, null]],
    ["with a number as version", { version: 1.2 }, notString("version")],
    ["with a number as device id", { device_id: 7 }, notString("device_id")],
    ["with the longest device id", { device_id: longest }, [null, longest, null]],
    ["with a longer device id", { device_id: `${longest}d`, version: "1" }, ["1", null, tooLong]],
    ["with two unusable members, one of them reported", { version: 1, device_id: 1 }, notString("version")],
  ];
  test.each(rows)("the license key is read from a body %s", (_why, members, [version, deviceId, problem]) => {
    const body = readValidateBody(JSON.stringify({ license_key: "ab-cd", ...members }));
    expect(body).toEqual({ licenseKey: "ab-cd", keyMatch: "AB-CD", version, deviceId, problem });
  });

  test("the last of two license keys counts, as in JSON parsers", () =>
    expect(readValidateBody('{"license_key":"A","license_key":"B"}').keyMatch).toBe("B"));

  test("a license key is signed as sent, and looked up trimmed and in upper case", () => {
    const body = readValidateBody('\r\n\t {  "license\\u005fkey" :\n"  aBc\\n" }  \n');
    expect(body).toMatchObject({ licenseKey: "  aBc\n", keyMatch: "ABC" });
  });
});

test("a key with a NUL, which no license has, is not looked up", () =>
  expect([" abcd-1234\t", "a\0b", "\0"].map(asKeyMatch)).toEqual(["ABCD-1234", null, null]));

test("a body of objects nested 2,700 deep has no license key", () => {
  const body = readValidateBody(`${'{"a":'.repeat(2_700)}1${"}".repeat(2_700)}`);
  expect(body.problem).toStartWith("The body has no license_key.");
});

test("no body makes the parser fail, and its result is always usable", () => {
  const nearlyRight = fc
    .record(
      { license_key: fc.anything(), version: fc.anything(), device_id: fc.anything() },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value, (_, member) => (typeof member === "bigint" ? 0 : member)) ?? "");
  forAll(1_000, [fc.oneof(fc.string(), fc.json(), nearlyRight)], (text) => {
    const body = readValidateBody(text);
    expect(typeof body.licenseKey).toBe("string");
    if (body.keyMatch === null && body.licenseKey === "") expect(body.problem).not.toBeNull();
    expect(body.deviceId === null || body.deviceId.length <= 256).toBe(true);
  });
});

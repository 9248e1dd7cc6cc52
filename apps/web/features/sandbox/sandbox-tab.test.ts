import { expect, test } from "bun:test";
import { sandboxLicenses } from "@countersign/domain/sandbox/license-keys";
import de from "../../i18n/de/sandbox.json" with { type: "json" };
import en from "../../i18n/en/sandbox.json" with { type: "json" };
import es from "../../i18n/es/sandbox.json" with { type: "json" };
import { curlOf, meaningKey } from "./sandbox-tab.tsx";

test("every fixed license key is explained in every language", () => {
  const wanted = sandboxLicenses.map(({ licenseKey }) => meaningKey(licenseKey)).sort();
  for (const { meaning } of [en, de, es])
    expect(
      Object.keys(meaning)
        .map((key) => `meaning.${key}`)
        .sort(),
    ).toEqual(wanted);
});

test("the command sends the license key with the test API key", () => {
  expect(curlOf("https://example.com", "cskt_1", "SANDBOX-ACTIVE")).toBe(
    `curl -i -X POST https://example.com/api/v1/validate \\
  -H 'Authorization: Bearer cskt_1' \\
  -H 'Content-Type: application/json' \\
  -d '{"license_key":"SANDBOX-ACTIVE","version":"1.0.0"}'`,
  );
});

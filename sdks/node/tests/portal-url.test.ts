import { expect, test } from "bun:test";
import { Countersign } from "../src/index.ts";

const apiKey = "csk_test";

test("portalUrl refuses a license key that is not a string", () => {
  const client = new Countersign({ apiKey, baseUrl: "https://license.example.com" });
  for (const wrong of [undefined, null, 7, true, {}, ["ABCD"], Object("ABCD")])
    expect(() => client.portalUrl(wrong)).toThrow(
      new TypeError("licenseKey must be a license key that is not empty."),
    );
});

test("credentials, query and fragment of the base URL are not in the portal's URL", () => {
  const baseUrl = "https://name:password@license.example.com/a?b=c#d";
  const client = new Countersign({ apiKey, baseUrl });
  expect(client.portalUrl("KEY")).toBe("https://license.example.com/a/portal/open#KEY");
});

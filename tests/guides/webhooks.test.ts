import { webhookId, webhookSignature } from "@countersign/domain/webhooks/signature";
import { java, node, python, testInLanguage } from "./in-languages.ts";

/** Its programs, unchanged, with valid and invalid events. */
const page = "docs/guides/webhooks.md";

const key = Buffer.from("a secret of more than 24 bytes, for this test");
const otherKey = Buffer.from("another secret of more than 24 bytes, for it");
const secret = `whsec_${key.toString("base64")}`;
const created = {
  type: "license.created",
  timestamp: "2026-11-16T00:00:00.000Z",
  data: { name: "Grüße 😀" },
};
const body = JSON.stringify(created);
const nowSeconds = Math.floor(Date.now() / 1000);

function event(keys: Uint8Array[] = [key], timestampSeconds = nowSeconds) {
  const id = webhookId("01a1e1b5-0563-7000-aaad-63e0de58771e");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": webhookSignature({ id, timestampSeconds, body }, keys),
  };
}

const anotherVersion = event()["webhook-signature"].replace("v1,", "v2,");
const cases: readonly [name: string, isGood: boolean, headers: Record<string, string>, body: string][] = [
  ["unchanged", true, event(), body],
  ["during a rotation, the new secret first", true, event([otherKey, key]), body],
  ["signed with another secret", false, event([otherKey]), body],
  ["one byte changed", false, event(), body.replace("created", "creatEd")],
  ["parsed and serialized again", false, event(), JSON.stringify(created, null, 1)],
  ["another ID", false, { ...event(), "webhook-id": "evt_other" }, body],
  ["another time", false, { ...event(), "webhook-timestamp": String(nowSeconds + 1) }, body],
  ["ten minutes old", false, event([key], nowSeconds - 600), body],
  ["ten minutes ahead", false, event([key], nowSeconds + 600), body],
  ["an invalid time", false, { ...event(), "webhook-timestamp": "soon" }, body],
  ["no headers", false, {}, body],
  ["a signature of another version", false, { ...event(), "webhook-signature": anotherVersion }, body],
  ["an empty signature", false, { ...event(), "webhook-signature": "v1," }, body],
];
const lines = cases.map(([name, isGood, headers, text]) => ({
  name,
  isGood,
  input: JSON.stringify({ headers, body: Buffer.from(text).toString("base64") }),
}));

testInLanguage(
  page,
  { ...node, language: "js" },
  "verifiedEvent",
  `
import { readFileSync } from "node:fs";
for (const line of readFileSync(0, "utf8").split("\\n")) {
  const { headers, body } = JSON.parse(line);
  try { verifiedEvent("${secret}", headers, Buffer.from(body, "base64").toString()); console.log("true"); }
  catch { console.log("false"); }
}`,
  lines,
);

testInLanguage(
  page,
  python,
  "verified_event",
  `
import sys
for line in sys.stdin:
    case = json.loads(line)
    try:
        verified_event("${secret}", case["headers"], base64.b64decode(case["body"]))
        print("true")
    except ValueError:
        print("false")
`,
  lines,
);

testInLanguage(
  page,
  java,
  "verifiedEvent",
  `
class Driver {
  public static void main(String[] words) throws Exception {
    for (String line : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\\n")) {
      Map<String, String> headers = new java.util.HashMap<>();
      var found = java.util.regex.Pattern.compile("\\"([a-z-]+)\\":\\"([^\\"]*)\\"").matcher(line);
      while (found.find()) headers.put(found.group(1), found.group(2));
      byte[] body = Base64.getDecoder().decode(headers.remove("body"));
      try { Webhooks.verifiedEvent("${secret}", headers, body); System.out.println("true"); }
      catch (GeneralSecurityException refused) { System.out.println("false"); }
    }
  }
}
`,
  lines,
);

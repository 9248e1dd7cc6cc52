import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { webhookId, webhookSignature } from "@countersign/domain/webhooks/signature";
import { skipWithReason } from "../support/skip.ts";

/** The programs of the guide, unchanged, with valid and invalid events. */
const guide = readFileSync(join(import.meta.dir, "../../docs/guides/webhooks.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "countersign-guide-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
/** One case per line. Each program prints whether it accepted the case. */
const input = cases
  .map(([, , headers, text]) => JSON.stringify({ headers, body: Buffer.from(text).toString("base64") }))
  .join("\n");

const needed = {
  node: "Install Node.js 20 or newer.",
  python3: "Install Python 3.9 or newer (on Debian: apt-get install python3).",
  java: "Install a JDK, 11 or newer.",
};

/** With the fence of its code in the guide, and what reads the cases. */
const languages: readonly [program: keyof typeof needed, fence: string, file: string, driver: string][] = [
  [
    "node",
    "js",
    "verify.mjs",
    `
import { readFileSync } from "node:fs";
for (const line of readFileSync(0, "utf8").split("\\n")) {
  const { headers, body } = JSON.parse(line);
  try { verifiedEvent(process.argv[2], headers, Buffer.from(body, "base64").toString()); console.log("true"); }
  catch { console.log("false"); }
}`,
  ],
  [
    "python3",
    "python",
    "verify.py",
    `
import sys
for line in sys.stdin:
    case = json.loads(line)
    try:
        verified_event(sys.argv[1], case["headers"], base64.b64decode(case["body"]))
        print("true")
    except ValueError:
        print("false")
`,
  ],
  [
    "java",
    "java",
    "Webhooks.java",
    // Java runs a source file through its first class, so that class must have the main method.
    `
class Driver {
  public static void main(String[] words) throws Exception {
    for (String line : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\\n")) {
      Map<String, String> headers = new java.util.HashMap<>();
      var found = java.util.regex.Pattern.compile("\\"([a-z-]+)\\":\\"([^\\"]*)\\"").matcher(line);
      while (found.find()) headers.put(found.group(1), found.group(2));
      byte[] body = Base64.getDecoder().decode(headers.remove("body"));
      try { Webhooks.verifiedEvent(words[0], headers, body); System.out.println("true"); }
      catch (GeneralSecurityException refused) { System.out.println("false"); }
    }
  }
}
`,
  ],
];

for (const [program, fence, file, driver] of languages) {
  const title = `the guide's ${program} program accepts valid events and refuses all others`;
  if (spawnSync(program, ["--version"]).status !== 0) {
    skipWithReason(title, `it needs ${program}. ${needed[program]}`);
    continue;
  }
  test(title, () => {
    const code = new RegExp(`\`\`\`${fence}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? "";
    expect(code).not.toBe("");
    const path = join(folder, file);
    writeFileSync(path, program === "java" ? withMainFirst(code, driver) : code + driver);
    const ran = spawnSync(program, [path, secret], { input, encoding: "utf8" });
    expect(ran.stderr).toBe("");
    const printed = ran.stdout.trim().split("\n");
    const expected = cases.map(([name, isGood]) => `${name}: ${isGood}`);
    expect(cases.map(([name], index) => `${name}: ${printed[index]}`)).toEqual(expected);
  });
}

function withMainFirst(code: string, driver: string): string {
  const start = code.indexOf("class Webhooks");
  return `${code.slice(0, start)}${driver}${code.slice(start)}`;
}

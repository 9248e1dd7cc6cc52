import { signBody } from "@countersign/domain/signing/signature";
import { java, node, python, testInLanguage } from "./in-languages.ts";

/** Its functions, unchanged, with signed and forged responses. */
const page = "docs/security/verifying-signatures.md";

const [secret, next, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const asked = { nonce: "nonce-0123456789", productId: "019d3f6e-7a40-7000", licenseKey: " abcd-Efgh-jkmn " };
const unsigned =
  '{"valid":true,"status":"active","custom":{"name":"Zoë 😀","quote":"\\"signature\\":\\""},"signature":null}';

function signed(by: Uint8Array, changed: Partial<typeof asked> = {}) {
  const { licenseKey: licenseKeyAsSent, ...request } = { ...asked, ...changed };
  return signBody(unsigned, {
    keyId: "k1",
    secret: by,
    unixSeconds: 1_790_000_000,
    licenseKeyAsSent,
    ...request,
  });
}

const genuine = signed(secret);
const cases: readonly [name: string, isGood: boolean, body: string][] = [
  ["unchanged", true, genuine],
  ["signed with the next secret", true, signed(next)],
  ["signed with another secret", false, signed(other)],
  ["for another nonce", false, signed(secret, { nonce: "nonce-9876543210" })],
  ["for a request without a nonce", false, signed(secret, { nonce: "" })],
  ["for another product", false, signed(secret, { productId: "019d3f6e-7a40-7001" })],
  ["for another license", false, signed(secret, { licenseKey: "abcd-Efgh-jkmn" })],
  ["without a signature", false, unsigned],
  ["one byte changed", false, genuine.replace("true", "True")],
  ["another time", false, genuine.replace("t=1790000000", "t=1790000001")],
  [
    "one digit of the HMAC changed",
    false,
    genuine.replace(/.("\})$/, (end) => `${end[0] === "0" ? "1" : "0"}"}`),
  ],
  ["a shorter HMAC", false, genuine.replace(/..("\})$/, "$1")],
  ["parsed and serialized again", false, JSON.stringify(JSON.parse(genuine), null, 1)],
  ["text after it", false, `${genuine} `],
  ["a part of a body", false, "true}"],
  ["nothing", false, ""],
];
const lines = cases.map(([name, isGood, body]) => ({
  name,
  isGood,
  input: Buffer.from(body).toString("base64") || "=",
}));
const secrets = [secret, next].map((bytes) => bytes.toString("hex"));

testInLanguage(
  page,
  { ...node, program: process.execPath, language: "ts", ending: "ts" },
  "isGenuine",
  `
import { readFileSync } from "node:fs";
const request = ${JSON.stringify({ ...asked, secrets })};
for (const line of readFileSync(0, "utf8").split("\\n")) console.log(isGenuine(Buffer.from(line, "base64"), request));
`,
  lines,
);

testInLanguage(
  page,
  python,
  "is_genuine",
  `
import base64
import sys
for line in sys.stdin:
    body = base64.b64decode(line.strip() if line.strip() != "=" else "")
    genuine = is_genuine(body, "${asked.productId}", "${asked.licenseKey}", "${asked.nonce}", ${JSON.stringify(secrets)})
    print(str(genuine).lower())
`,
  lines,
);

testInLanguage(
  page,
  java,
  "isGenuine",
  `
class Driver {
  public static void main(String[] words) throws Exception {
    for (String line : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\\n")) {
      byte[] body = java.util.Base64.getDecoder().decode(line.equals("=") ? "" : line);
      List<String> secrets = List.of("${secrets.join('", "')}");
      System.out.println(
          SignedResponses.isGenuine(body, "${asked.productId}", "${asked.licenseKey}", "${asked.nonce}", secrets));
    }
  }
}
`,
  lines,
);

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs written here have template strings of their own.

import { type Blanks, lines, type Snippet } from "./snippet.ts";

export function node(blanks: Blanks): Snippet[] {
  return [
    nodeModule(blanks, "countersign.mjs", false),
    {
      file: "app.mjs",
      text: lines(
        `import { validate } from "./countersign.mjs";`,
        "",
        `const answer = await validate("ABCD-EFGH-JKMN-PQRS", "1.0.0");`,
        "if (!answer.valid) throw new Error(`The license is refused: ${answer.status}`);",
      ),
    },
  ];
}

/** The same module for all that runs on Node, with types where they are wanted. */
export function nodeModule({ server, productId, isSigned }: Blanks, file: string, isTyped: boolean): Snippet {
  const text = isTyped ? ": string" : "";
  const promise = isTyped ? ": Promise<Answer>" : "";
  const verdict = isTyped ? ": boolean" : "";
  return {
    file,
    text: lines(
      isSigned && `import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";`,
      isSigned && "",
      isTyped &&
        "export interface Answer { valid: boolean; status: string; expires: string | null; custom: unknown }",
      isTyped && "",
      `export async function validate(licenseKey${text}, version${text})${promise} {`,
      isSigned && `  const nonce = randomBytes(16).toString("base64url");`,
      `  const response = await fetch("${server}/api/v1/validate", {`,
      `    method: "POST",`,
      "    headers: {",
      "      authorization: `Bearer ${process.env.COUNTERSIGN_API_KEY}`,",
      `      "content-type": "application/json",`,
      isSigned && `      "x-countersign-nonce": nonce,`,
      "    },",
      "    body: JSON.stringify({ license_key: licenseKey, version }),",
      "    signal: AbortSignal.timeout(10_000),",
      "  });",
      "  const body = await response.text();",
      "  if (!response.ok) throw new Error(`Countersign answered ${response.status}: ${body}`);",
      isSigned && `  if (!isSigned(body, nonce, licenseKey)) throw new Error("Not signed by Countersign.");`,
      "  return JSON.parse(body);",
      "}",
      isSigned && "",
      isSigned && nodeCheck(productId, text, verdict),
    ),
  };
}

function nodeCheck(productId: string, text: string, verdict: string): string {
  return lines(
    `function isSigned(body${text}, nonce${text}, licenseKey${text})${verdict} {`,
    String.raw`  const match = /"signature":"t=(\d+),n=([\w-]*),k=[\w-]+,v1=([0-9a-f]{64})"\}$/.exec(body);`,
    "  if (match === null || match[2] !== nonce) return false;",
    "  if (Math.abs(Date.now() / 1000 - Number(match[1])) > 300) return false;",
    "  // The signature is over the answer with null in the signature's place.",
    '  const unsigned = `${body.slice(0, match.index)}"signature":null}`;',
    `  const text = ["countersign.validate.v1", match[1], nonce, "${productId}",`,
    String.raw`    licenseKey, unsigned].join("\n");`,
    `  const claimed = Buffer.from(match[3]${text === "" ? "" : ' ?? ""'}, "hex");`,
    `  return (process.env.COUNTERSIGN_SIGNING_SECRETS ?? "").split(",").some((secret) =>`,
    `    timingSafeEqual(createHmac("sha256", Buffer.from(secret, "hex")).update(text).digest(), claimed));`,
    "}",
  );
}

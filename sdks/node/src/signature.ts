import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignatureProblem } from "./errors.ts";

export interface SignedQuestion {
  readonly productId: string;
  /** As sent, not as the server normalized it. */
  readonly licenseKey: string;
  readonly nonce: string;
  /** In hex, as shown in the dashboard. During a rotation there are two. */
  readonly secrets: readonly string[];
  readonly nowUnixSeconds: number;
  readonly toleranceSeconds: number;
}

/** Null if the body is signed for this request; otherwise what is wrong with it. Works on the raw bytes. */
export function signatureProblem(body: Uint8Array, question: SignedQuestion): SignatureProblem | null {
  // Latin-1 maps every byte to one character, so that offsets match.
  const text = Buffer.from(body).toString("latin1");
  if (text.endsWith(unsigned)) return "missing";
  const start = text.lastIndexOf(opening);
  if (start < 0) return "missing";
  const match = atEnd.exec(text.slice(start + opening.length - 1));
  if (match === null) return "malformed";
  const [, time = "", nonce = "", , claimed = ""] = match;
  if (Math.abs(question.nowUnixSeconds - Number(time)) > question.toleranceSeconds) return "stale";
  if (nonce !== question.nonce) return "nonce";
  const head = `${purpose}\n${time}\n${nonce}\n${question.productId}\n${question.licenseKey}\n`;
  const expected = Buffer.from(claimed, "hex");
  const fits = question.secrets.map((secret) =>
    timingSafeEqual(
      createHmac("sha256", Buffer.from(secret, "hex"))
        .update(head)
        .update(body.subarray(0, start))
        .update(unsigned)
        .digest(),
      expected,
    ),
  );
  return fits.includes(true) ? null : "mismatch";
}

const purpose = "countersign.validate.v1";
const opening = '"signature":"';
const unsigned = '"signature":null}';
const atEnd =
  /^"t=(0|[1-9][0-9]{0,14}),n=([A-Za-z0-9_-]{0,64}),k=([A-Za-z0-9_-]{1,64}),v1=([0-9a-f]{64})"\}$/;

import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignatureProblem } from "./errors.ts";

export interface SignedRequest {
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
export function signatureProblem(body: Uint8Array, request: SignedRequest): SignatureProblem | null {
  // Latin-1 maps every byte to one character, so that offsets match.
  const text = Buffer.from(body).toString("latin1");
  if (text.endsWith(nullSignature)) return "missing";
  const start = text.lastIndexOf(signatureStart);
  if (start < 0) return "missing";
  const match = signaturePattern.exec(text.slice(start + signatureStart.length - 1));
  if (match === null) return "malformed";
  const [, time = "", nonce = "", , claimed = ""] = match;
  if (Math.abs(request.nowUnixSeconds - Number(time)) > request.toleranceSeconds) return "stale";
  if (nonce !== request.nonce) return "nonce";
  const head = `${purpose}\n${time}\n${nonce}\n${request.productId}\n${request.licenseKey}\n`;
  const claimedCode = Buffer.from(claimed, "hex");
  const matches = request.secrets.map((secret) =>
    timingSafeEqual(
      createHmac("sha256", Buffer.from(secret, "hex"))
        .update(head)
        .update(body.subarray(0, start))
        .update(nullSignature)
        .digest(),
      claimedCode,
    ),
  );
  return matches.includes(true) ? null : "mismatch";
}

const purpose = "countersign.validate.v1";
const signatureStart = '"signature":"';
const nullSignature = '"signature":null}';
const signaturePattern =
  /^"t=(0|[1-9][0-9]{0,14}),n=([A-Za-z0-9_-]{0,64}),k=([A-Za-z0-9_-]{1,64}),v1=([0-9a-f]{64})"\}$/;

import { fromHex, isEqual, latin1, utf8 } from "./bytes.ts";
import type { SignatureProblem } from "./errors.ts";
import { hmacSha256 } from "./sha256.ts";

export interface SignedRequest {
  readonly secrets: readonly string[];
  readonly productId: string;
  /** As it was sent. */
  readonly licenseKey: string;
  readonly nonce: string;
  readonly nowUnixSeconds: number;
}

/** The server's clock minus this one in whole seconds, or why the response is not trusted. */
export type CheckedSignature =
  | { readonly problem: null; readonly clockSkewSeconds: number }
  | { readonly problem: SignatureProblem };

/**
 * Checks the signature of a response on its raw bytes. The nonce shows that the response is for this request, so the
 * clocks can differ by a day.
 */
export function checkSignature(body: Uint8Array, request: SignedRequest): CheckedSignature {
  const text = latin1(body);
  if (text.endsWith(nullSignature)) return { problem: "missing" };
  const start = text.lastIndexOf(signatureStart);
  if (start < 0) return { problem: "missing" };
  const match = signaturePattern.exec(text.slice(start + signatureStart.length - 1));
  if (match === null) return { problem: "malformed" };
  const [, time = "", nonce = "", , claimed = ""] = match;
  if (nonce !== request.nonce) return { problem: "nonce" };
  const clockSkewSeconds = Number(time) - Math.floor(request.nowUnixSeconds);
  if (Math.abs(clockSkewSeconds) > maxSkewSeconds) return { problem: "stale" };
  const head = utf8(`${purpose}\n${time}\n${nonce}\n${request.productId}\n${request.licenseKey}\n`);
  const matches = request.secrets.map((secret) =>
    isEqual(
      hmacSha256(fromHex(secret), head, body.subarray(0, start), utf8(nullSignature)),
      fromHex(claimed),
    ),
  );
  return matches.includes(true) ? { problem: null, clockSkewSeconds } : { problem: "mismatch" };
}

/** Why a response is not trusted; null if its signature is valid. */
export function signatureProblem(body: Uint8Array, request: SignedRequest): SignatureProblem | null {
  return checkSignature(body, request).problem;
}

/** Whether a body has a signature member, valid or not. */
export function hasSignatureMember(body: Uint8Array): boolean {
  return /"signature"\s*:/.test(latin1(body));
}

const maxSkewSeconds = 86_400;
const purpose = "countersign.validate.v1";
const signatureStart = '"signature":"';
const nullSignature = '"signature":null}';
const signaturePattern =
  /^"t=(0|[1-9][0-9]{0,14}),n=([A-Za-z0-9_-]{0,64}),k=([A-Za-z0-9_-]{1,64}),v1=([0-9a-f]{64})"\}$/;

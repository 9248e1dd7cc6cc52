import { createHmac } from "node:crypto";

export interface VerifyingParts {
  readonly secretFor: (keyId: string) => Uint8Array | null;
  readonly productId: string;
  readonly licenseKeyAsSent: string;
  readonly nonce: string;
  readonly nowUnixSeconds: number;
  readonly toleranceSeconds: number;
}

type Verification =
  | { ok: true }
  | { ok: false; reason: "missing" | "malformed" | "unknown_key" | "stale" | "nonce" | "mismatch" };

/** Checks the signature of a response, as an application does. */
export function verifyBody(body: string, parts: VerifyingParts): Verification {
  const start = body.endsWith('"signature":null}') ? -1 : body.lastIndexOf(openMember);
  if (start < 0) return { ok: false, reason: "missing" };
  const valueStart = start + openMember.length - 1;
  const match = signatureAtEnd.exec(body.slice(valueStart));
  if (match === null) return { ok: false, reason: "malformed" };
  const [, time = "", nonce = "", keyId = "", claimed = ""] = match;

  const secret = parts.secretFor(keyId);
  if (secret === null) return { ok: false, reason: "unknown_key" };
  const ageSeconds = Math.abs(parts.nowUnixSeconds - Number(time));
  if (ageSeconds > parts.toleranceSeconds) return { ok: false, reason: "stale" };
  if (nonce !== parts.nonce) return { ok: false, reason: "nonce" };
  const lines = [
    ...["countersign.validate.v1", time, nonce, parts.productId, parts.licenseKeyAsSent],
    `${body.slice(0, valueStart)}null}`,
  ];
  const mac = createHmac("sha256", secret).update(lines.join("\n")).digest("hex");
  return mac === claimed ? { ok: true } : { ok: false, reason: "mismatch" };
}

const openMember = '"signature":"';
const signatureAtEnd =
  /^"t=(0|[1-9][0-9]{0,14}),n=([A-Za-z0-9_-]{0,64}),k=([A-Za-z0-9_-]{1,64}),v1=([0-9a-f]{64})"\}$/;

import { createHmac } from "node:crypto";
import type { Signing } from "./case.ts";

/** A validate response with the signature that the case describes. */
export function signed(
  unsigned: string,
  signing: Signing,
  now: string,
  sentNonce: string,
  requestBody: string,
): string {
  const time = Math.floor(new Date(now).getTime() / 1_000) - (signing.age_seconds ?? 0);
  const nonce = signing.nonce ?? sentNonce;
  const licenseKey = signing.license_key ?? JSON.parse(requestBody).license_key;
  const purpose = signing.purpose ?? "countersign.validate.v1";
  const text = [purpose, time, nonce, signing.product_id, licenseKey, unsigned].join("\n");
  const code = createHmac("sha256", Buffer.from(signing.secret, "hex")).update(text).digest("hex");
  const signature = `"t=${time},n=${nonce},k=${signing.key_id ?? "k1"},v1=${code}"}`;
  const body = unsigned.slice(0, -"null}".length) + signature;
  return signing.replace === undefined ? body : body.replace(...signing.replace);
}

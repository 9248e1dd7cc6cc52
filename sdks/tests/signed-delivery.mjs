import { createHmac } from "node:crypto";

/** A delivery with the current time, as arguments for `fetch`. */
export function signedDelivery(secret, body) {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const code = createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"))
    .update(`msg_1.${timestamp}.${body}`)
    .digest("base64");
  const headers = {
    "content-type": "application/json",
    "webhook-id": "msg_1",
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${code}`,
  };
  return { method: "POST", headers, body };
}

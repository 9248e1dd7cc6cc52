import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { verifyWebhook } from "../src/index.ts";

test.each([[""], ["whsec_"], [[]], [["whsec_"]], [undefined]])("%p is rejected as a secret", (secret) => {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const code = createHmac("sha256", "").update(`msg_1.${timestamp}.{}`).digest("base64");
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${code}`,
  };
  expect(() => verifyWebhook("{}", headers, { secret })).toThrow("whsec_");
});

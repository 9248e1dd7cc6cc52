import { createHmac } from "node:crypto";

/**
 * Sandbox responses are signed with a key of their own, derived from the test API key. An application in production
 * knows only the product's secret, so a response about a fixed license can never pass there as a genuine one.
 */
export function sandboxSigningKey(apiKey: { readonly publicId: string; readonly key: string }): {
  readonly keyId: string;
  readonly secret: Uint8Array;
} {
  return {
    keyId: `sandbox_${apiKey.publicId}`,
    secret: createHmac("sha256", "countersign.sandbox-signing.v1").update(apiKey.key).digest(),
  };
}

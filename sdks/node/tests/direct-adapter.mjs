// Calls an SDK directly. Other adapters call it through a framework.
import assert from "node:assert/strict";

/**
 * `open` creates the client from its options and the
 * versions used in the case; `verify` verifies a webhook delivery and returns its event or the reason for rejecting it;
 * `portalUrl` returns the portal's URL for a license key, or throws.
 */
export function directAdapter(sdk) {
  return {
    sdk,
    open: async (options) => {
      const client = new sdk.Countersign(options);
      return {
        client,
        validate: (key, details) => client.validate(key, details),
        check: (key, details) => client.check(key, details),
        close: async () => undefined,
      };
    },
    verify: async ({ body, headers, isParsed, ...options }) => {
      const bytes = new TextEncoder().encode(body);
      const bodies = isParsed ? [JSON.parse(body)] : [body, bytes, bytes.slice().buffer];
      const [first, ...others] = bodies.map((one) => {
        try {
          return { event: sdk.verifyWebhook(one, headers, options) };
        } catch (error) {
          if (kindOf(sdk, error) !== "webhook") throw error;
          return { reason: error.reason };
        }
      });
      for (const other of others)
        assert.deepEqual(other, first, "all forms of the body have the same result");
      return first;
    },
    portalUrl: async (options, key) => new sdk.Countersign(options).portalUrl(key),
  };
}

/** The kind of error that a case names; null for any other error. */
export function kindOf(sdk, error) {
  const kinds = {
    AuthenticationError: "authentication",
    NotFoundError: "not_found",
    RateLimitError: "rate_limit",
    SandboxError: "sandbox",
    ServerError: "server",
    TimeoutError: "timeout",
    ConnectionError: "connection",
    SignatureError: "signature",
    WebhookError: "webhook",
  };
  assert.ok(
    !(error.name in kinds) || error instanceof sdk[error.name],
    "errors are instances of their class",
  );
  return kinds[error.name] ?? null;
}

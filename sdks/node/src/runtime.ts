/**
 * Whether a request to the app must not wait for the work of another one. In Cloudflare Workers, it would wait forever
 * once that other request is cancelled.
 */
export const isolatesRequests: boolean =
  (globalThis as { navigator?: { userAgent?: unknown } }).navigator?.userAgent === "Cloudflare-Workers";

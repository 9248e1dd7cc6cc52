// One client for all route handlers, so that they share its cache: lib/licensing.ts of a Next.js app.
import { Countersign } from "@countersign/node";
import { licenseGate } from "@countersign/node/http";

// The URL and the API key come from the environment.
export const client = new Countersign();

export const gate = licenseGate({
  client,
  // Vercel sets this header. Behind another proxy, use the header that it sets, and only if callers cannot set it.
  address: (request) => request.headers.get("x-real-ip"),
});

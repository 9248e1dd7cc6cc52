// app/countersign/route.ts of a Next.js app: receives webhooks. Exclude it from a middleware that requires a license.
import { webhookRoute } from "@countersign/node/http";
import { client } from "../licensing.ts";

export const POST = webhookRoute({ secret: process.env.COUNTERSIGN_WEBHOOK_SECRET }, (event) => {
  // Cached results may be outdated: the next request validates again.
  if (event.type.startsWith("license.")) client.forget();
});

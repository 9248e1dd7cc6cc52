// An API on Hono, as a Cloudflare Worker: reports require a license, and a webhook makes a revoked license lose access
// immediately. It runs in the same way on Node.js, Bun and Deno.
import { Countersign } from "@countersign/node";
import { type GateResult, licenseGate, type RequestLicense, webhookRoute } from "@countersign/node/http";
import { Hono } from "hono";

interface Env {
  readonly COUNTERSIGN_URL: string;
  readonly COUNTERSIGN_API_KEY: string;
  readonly COUNTERSIGN_WEBHOOK_SECRET: string;
}

interface Licensing {
  readonly gate: (request: Request) => Promise<GateResult>;
  readonly webhook: (request: Request) => Promise<Response>;
}

let licensing: Licensing | undefined;

/** One client for all requests, so that they share its cache. Workers have no environment before the first request. */
function licensingFor(env: Env): Licensing {
  if (licensing !== undefined) return licensing;
  const client = new Countersign({ apiKey: env.COUNTERSIGN_API_KEY, baseUrl: env.COUNTERSIGN_URL });
  licensing = {
    // Cloudflare sets this header. Elsewhere a caller could set it to anything.
    gate: licenseGate({ client, address: (request) => request.headers.get("cf-connecting-ip") }),
    webhook: webhookRoute({ secret: env.COUNTERSIGN_WEBHOOK_SECRET }, (event) => {
      // Cached results may be outdated: the next request validates again.
      if (event.type.startsWith("license.")) client.forget();
    }),
  };
  return licensing;
}

const app = new Hono<{ Bindings: Env; Variables: { license: RequestLicense } }>();

app.post("/countersign", (context) => licensingFor(context.env).webhook(context.req.raw));

app.use("/reports/*", async (context, next) => {
  const license = await licensingFor(context.env).gate(context.req.raw);
  if (!license.allowed) return license.response;
  context.set("license", license);
  return next();
});

app.get("/reports/:title", (context) => {
  const { result } = context.get("license");
  return context.json({ report: context.req.param("title"), status: result?.status ?? null });
});

export default app;

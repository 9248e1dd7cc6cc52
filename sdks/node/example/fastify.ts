// An API on Fastify: every route under /reports requires a license, and a webhook makes a revoked license lose access
// immediately.
//
//   COUNTERSIGN_URL=… COUNTERSIGN_API_KEY=… COUNTERSIGN_WEBHOOK_SECRET=… node fastify.js
import { Countersign } from "@countersign/node";
import { decidedLicense, LicenseDecider, readDelivery, refusalOf } from "@countersign/node/http";
import fastify, { type FastifyInstance } from "fastify";

export function createApp(): FastifyInstance {
  const client = new Countersign();
  const app = fastify();
  // The limit of unknown keys uses request.ip: behind a proxy, set Fastify's trustProxy.
  const licenses = new LicenseDecider({ client });

  app.register(async (reports) => {
    reports.addHook("preHandler", async (request, reply) => {
      const license = await licenses.decide(request);
      if (license.allowed) return;
      const { status, headers, body } = refusalOf(license);
      return reply.code(status).headers(headers).send(body);
    });
    reports.get("/reports/:title", async (request) => {
      const { title } = request.params as { readonly title: string };
      return { report: title, status: decidedLicense(request)?.result?.status ?? null };
    });
  });

  app.register(async (webhooks) => {
    // The signature covers the raw bytes, so the body must not be parsed.
    webhooks.removeAllContentTypeParsers();
    webhooks.addContentTypeParser(
      "*",
      { parseAs: "buffer" },
      async (_request: unknown, body: unknown) => body,
    );
    webhooks.post("/countersign", async (request, reply) => {
      const secret = process.env.COUNTERSIGN_WEBHOOK_SECRET;
      const { event, refusal } = readDelivery(request.body as Buffer, request.headers, { secret });
      if (refusal !== null) return reply.code(refusal.status).send(refusal.body);
      // Cached results may be outdated: the next request validates again.
      if (event.type.startsWith("license.")) client.forget();
      return reply.code(204).send();
    });
  });
  return app;
}

// A Cloudflare Worker that runs the checks, and serves the Hono example otherwise.
import { runChecks } from "./edge-checks.mjs";
import app from "./hono.js";

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/checks") return Response.json(await runChecks(searchParams.get("server")));
    return app.fetch(request, { ...env, ...Object.fromEntries(searchParams) }, context);
  },
};

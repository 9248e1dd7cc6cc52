// The adapter that run-suite.mjs uses to run every case through the middleware of the installed Express.
import { createRequire } from "node:module";
import { getLicense, licenseMiddleware, requireLicense, webhookHandler } from "@countersign/express";
import { Countersign } from "@countersign/node";
import express from "express";
import { deliverTo, httpAdapter, portalUrlFrom, rejectingFetch } from "./http-adapter.mjs";

export const framework = `Express ${createRequire(import.meta.url)("express/package.json").version}`;

export async function open(options) {
  const client = new Countersign(options);
  const received = new Map();
  const license = {
    client,
    logger: {},
    key: { query: "license_key" },
    version: (request) => request.query.version,
    deviceId: (request) => request.query.deviceId,
  };
  const server = await listen((app) => {
    app.use((request, _response, next) => {
      received.set(request.get("x-call"), request);
      next();
    });
    app.use(licenseMiddleware(license));
    app.get("/", requireLicense(license), (request, response) =>
      response.json({ key: getLicense(request).key }),
    );
  });
  return httpAdapter({ server, client, received, licenseOf: getLicense, routeFor: () => "/" });
}

export async function verify({ body, headers, isParsed, ...options }) {
  let event;
  const server = await listen((app) => {
    if (isParsed) app.use(express.json());
    app.post(
      "/hook",
      webhookHandler(options, (verified) => {
        event = verified;
      }),
    );
  });
  const answer = await deliverTo(server, { headers, body });
  return answer.status === 204 ? { event } : { reason: answer.body.error };
}

/** The URL that `onRefused` sends, with the key of the refusal. */
export async function portalUrl(options, key) {
  const client = new Countersign({ ...options, fetch: rejectingFetch });
  const server = await listen((app) => {
    app.use(express.json());
    app.post(
      "/portal",
      requireLicense({
        client,
        key: { body: "license_key" },
        onRefused: (refusal, _request, response) =>
          response.status(403).json({ url: client.portalUrl(refusal.key) }),
      }),
    );
    app.use((error, _request, response, _next) => response.status(400).json({ message: error.message }));
  });
  return portalUrlFrom(server, key);
}

function listen(addRoutes) {
  const app = express();
  addRoutes(app);
  return new Promise((resolve) => {
    const server = app.listen(0, "127.0.0.1", () => resolve(server));
  });
}

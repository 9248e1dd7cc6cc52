// The door by which run-suite.mjs takes every case through the middleware of whichever Express is installed beside this.
import { createRequire } from "node:module";
import { getLicense, licenseMiddleware, requireLicense, webhookHandler } from "@countersign/express";
import { Countersign } from "@countersign/node";
import express from "express";
import { delivered, throughHttp } from "./through-http.mjs";

export const where = `Express ${createRequire(import.meta.url)("express/package.json").version}`;

export async function open(options) {
  const client = new Countersign(options);
  const taken = new Map();
  const license = {
    client,
    key: { query: "license_key" },
    version: (request) => request.query.version,
    deviceId: (request) => request.query.deviceId,
  };
  const server = await listening((app) => {
    app.use((request, _response, next) => {
      taken.set(request.get("x-call"), request);
      next();
    });
    app.use(licenseMiddleware(license));
    app.get("/", requireLicense(license), (request, response) =>
      response.json({ key: getLicense(request).key }),
    );
  });
  return throughHttp({ server, client, taken, licenseOf: getLicense, routeFor: () => "/" });
}

export async function verify({ body, headers, isParsed, ...options }) {
  let event;
  const server = await listening((app) => {
    if (isParsed) app.use(express.json());
    app.post(
      "/hook",
      webhookHandler(options, (given) => {
        event = given;
      }),
    );
  });
  const answer = await delivered(server, { headers, body });
  return answer.status === 204 ? { event } : { reason: answer.body.error };
}

function listening(prepare) {
  const app = express();
  prepare(app);
  return new Promise((resolve) => {
    const server = app.listen(0, "127.0.0.1", () => resolve(server));
  });
}

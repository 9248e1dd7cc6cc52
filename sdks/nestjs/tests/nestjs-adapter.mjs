// The adapter that run-suite.mjs uses to run every case through the guards of the installed NestJS.
// Decorators are called as functions, because the routes depend on the case and this file is not compiled.
import "reflect-metadata";
import { createRequire } from "node:module";
import {
  CountersignModule,
  License,
  licenseOf,
  RequireLicense,
  Webhook,
  WebhookGuard,
} from "@countersign/nestjs";
import { Countersign } from "@countersign/node";
import { Catch, Controller, Get, HttpCode, Module, Post, UseFilters, UseGuards } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { deliverTo, httpAdapter, portalUrlFrom, rejectingFetch } from "./http-adapter.mjs";

export const framework = `NestJS ${createRequire(import.meta.url)("@nestjs/core/package.json").version}`;

/** Has one route per version: on NestJS the route sets the version, not the request. */
export async function open(options, versions) {
  const received = new Map();
  class Guarded {}
  for (const [index, version] of versions.entries())
    addRoute(Guarded, `check${index}`, (license) => ({ key: license.key }), License, [
      Get(`check/${index}`),
      RequireLicense(version === undefined ? {} : { version }),
    ]);
  const app = await createApp(Guarded, { ...options, key: { query: "license_key" } });
  app.use((request, _response, next) => {
    received.set(request.headers["x-call"], request);
    next();
  });
  await app.listen(0, "127.0.0.1");
  return httpAdapter({
    server: app.getHttpServer(),
    client: app.get(Countersign),
    received,
    licenseOf,
    routeFor: ({ version, deviceId }) =>
      deviceId === undefined && versions.includes(version) ? `/check/${versions.indexOf(version)}` : null,
  });
}

export async function verify({ body, headers, isParsed, ...options }) {
  let event;
  class Hooks {}
  const handle = (verified) => {
    event = verified;
  };
  addRoute(Hooks, "handle", handle, Webhook, [Post("hook"), HttpCode(204), UseGuards(WebhookGuard)]);
  const webhook = { apiKey: "csk_test", baseUrl: "http://127.0.0.1:9", webhook: options };
  const app = await createApp(Hooks, webhook, { rawBody: !isParsed });
  await app.listen(0, "127.0.0.1");
  const answer = await deliverTo(app.getHttpServer(), { headers, body });
  if (answer.status === 204) return { event };
  // Without the raw body the guard reports a configuration error of the app.
  return { reason: /requires the raw body/.test(answer.body.message) ? "parsed_body" : answer.body.error };
}

/** The URL that an exception filter sends, with the key that the guard found. */
export async function portalUrl(options, key) {
  let client;
  class PortalFilter {
    catch(_exception, host) {
      const http = host.switchToHttp();
      try {
        const url = client.portalUrl(licenseOf(http.getRequest()).key);
        http.getResponse().status(403).json({ url });
      } catch (error) {
        http.getResponse().status(400).json({ message: error.message });
      }
    }
  }
  Catch()(PortalFilter);
  class Guarded {}
  const decorators = [Post("portal"), RequireLicense(), UseFilters(new PortalFilter())];
  addRoute(Guarded, "handle", () => undefined, License, decorators);
  const source = { key: { body: "license_key" }, fetch: rejectingFetch };
  const app = await createApp(Guarded, { ...options, ...source });
  client = app.get(Countersign);
  await app.listen(0, "127.0.0.1");
  return portalUrlFrom(app.getHttpServer(), key);
}

/** Does the same as `@Get() name(@License() license)` in a class. */
function addRoute(controller, name, handler, parameter, decorators) {
  controller.prototype[name] = handler;
  parameter()(controller.prototype, name, 0);
  const descriptor = Object.getOwnPropertyDescriptor(controller.prototype, name);
  for (const decorate of decorators) decorate(controller.prototype, name, descriptor);
}

function createApp(controller, options, settings = {}) {
  Controller()(controller);
  class App {}
  Module({ imports: [CountersignModule.forRoot(options)], controllers: [controller] })(App);
  return NestFactory.create(App, { logger: false, ...settings });
}

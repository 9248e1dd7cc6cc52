// The door by which run-suite.mjs takes every case through the guards of whichever NestJS is installed beside this.
// Decorators are called as functions, because the routes depend on the case and nothing compiles this file.
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
import { Controller, Get, HttpCode, Module, Post, UseGuards } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { delivered, throughHttp } from "./through-http.mjs";

export const where = `NestJS ${createRequire(import.meta.url)("@nestjs/core/package.json").version}`;

/** With a route for each version: on NestJS it is the route that says which it is, and not the request. */
export async function open(options, versions) {
  const taken = new Map();
  class Guarded {}
  for (const [index, version] of versions.entries())
    route(Guarded, `ask${index}`, (license) => ({ key: license.key }), License, [
      Get(`ask/${index}`),
      RequireLicense(version === undefined ? {} : { version }),
    ]);
  const app = await started(Guarded, { ...options, key: { query: "license_key" } });
  app.use((request, _response, next) => {
    taken.set(request.headers["x-call"], request);
    next();
  });
  await app.listen(0, "127.0.0.1");
  return throughHttp({
    server: app.getHttpServer(),
    client: app.get(Countersign),
    taken,
    licenseOf,
    routeFor: ({ version, deviceId }) =>
      deviceId === undefined && versions.includes(version) ? `/ask/${versions.indexOf(version)}` : null,
  });
}

export async function verify({ body, headers, isParsed, ...options }) {
  let event;
  class Hooks {}
  const take = (given) => {
    event = given;
  };
  route(Hooks, "take", take, Webhook, [Post("hook"), HttpCode(204), UseGuards(WebhookGuard)]);
  const webhook = { apiKey: "csk_test", baseUrl: "http://127.0.0.1:9", webhook: options };
  const app = await started(Hooks, webhook, { rawBody: !isParsed });
  await app.listen(0, "127.0.0.1");
  const answer = await delivered(app.getHttpServer(), { headers, body });
  if (answer.status === 204) return { event };
  // Without the raw body nothing is looked at, and the mistake is the app's.
  return { reason: /needs the raw body/.test(answer.body.message) ? "parsed_body" : answer.body.error };
}

/** What `@Get() name(@License() license)` in a class would be. */
function route(controller, name, handler, parameter, decorators) {
  controller.prototype[name] = handler;
  parameter()(controller.prototype, name, 0);
  const descriptor = Object.getOwnPropertyDescriptor(controller.prototype, name);
  for (const decorate of decorators) decorate(controller.prototype, name, descriptor);
}

function started(controller, options, settings = {}) {
  Controller()(controller);
  class App {}
  Module({ imports: [CountersignModule.forRoot(options)], controllers: [controller] })(App);
  return NestFactory.create(App, { logger: false, ...settings });
}

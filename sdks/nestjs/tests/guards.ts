// Against whichever NestJS is installed beside this file; CONFORMANCE_URL is the server that plays Countersign.
import "reflect-metadata";
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import {
  CountersignModule,
  type CountersignModuleOptions,
  License,
  LicenseGuard,
  type RequestLicense,
  RequireLicense,
  SkipLicense,
  Webhook,
  WebhookGuard,
} from "@countersign/nestjs";
import { Countersign, type WebhookEvent } from "@countersign/node";
import {
  Controller,
  type DynamicModule,
  Get,
  HttpCode,
  type INestApplication,
  Inject,
  Injectable,
  Module,
  Post,
  UseGuards,
} from "@nestjs/common";
import { APP_GUARD, NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { signedDelivery } from "./signed-delivery.mjs";

const key = "ABCD-EFGH-JKMN-PQRS";
const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const withKey = { headers: { "x-license-key": key } };
const valid = [{ real: {} }];
const revoked = [{ real: { outcome: "a revoked license is refused" } }];
const away = [{ fault: "cut" }];

const adapters = { Express: () => new ExpressAdapter(), Fastify: () => new FastifyAdapter() };
const apps: INestApplication[] = [];
after(() => Promise.all(apps.map((app) => app.close())));

@Controller()
class Shop {
  @Get("open")
  open() {
    return { open: true };
  }

  @Get("paid")
  @RequireLicense()
  paid(@License() license: RequestLicense) {
    return { key: license.key, status: license.result?.status ?? null, error: license.error?.name ?? null };
  }

  @Get("newest")
  @RequireLicense({ version: "2.0.0" })
  newest() {
    return { in: true };
  }
}

@Controller("guarded")
@RequireLicense()
class Guarded {
  @Get("in")
  in() {
    return { in: true };
  }

  @Get("free")
  @SkipLicense()
  free() {
    return { free: true };
  }
}

@Controller("hooks")
class Hooks {
  @Post()
  @HttpCode(204)
  @UseGuards(WebhookGuard)
  take(@Webhook() event: WebhookEvent) {
    taken.push(event);
  }
}

const taken: WebhookEvent[] = [];

@Injectable()
class Asking {
  constructor(@Inject(Countersign) readonly client: Countersign) {}
}

/** What a client of a Countersign that answers so is made with, and what that was asked. */
async function arm(answers: object[]) {
  const armed = await fetch(`${process.env.CONFORMANCE_URL}/cases`, {
    method: "POST",
    body: JSON.stringify({ now: "2026-06-01T12:00:00.000Z", answers }),
  });
  const { url, client = {} } = (await armed.json()) as { url: string; client?: { api_key?: string } };
  return {
    options: { apiKey: client.api_key ?? "csk_test", baseUrl: url },
    asked: async () => ((await (await fetch(url)).json()) as { requests: object[] }).requests.length,
  };
}

async function serve(
  adapter: () => ExpressAdapter | FastifyAdapter,
  countersign: DynamicModule,
  { isWhole = false, rawBody = true } = {},
) {
  @Module({
    imports: [countersign],
    controllers: [Shop, Guarded, Hooks],
    providers: [Asking, ...(isWhole ? [{ provide: APP_GUARD, useExisting: LicenseGuard }] : [])],
  })
  class App {}
  const app = await NestFactory.create(App, adapter() as ExpressAdapter, { logger: false, rawBody });
  await app.listen(0, "127.0.0.1");
  apps.push(app);
  const url = await app.getUrl();
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, init);
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
  return { app, ask };
}

for (const [name, adapter] of Object.entries(adapters)) {
  describe(`NestJS on ${name}`, () => {
    const root = (options: CountersignModuleOptions) => CountersignModule.forRoot(options);

    test("@RequireLicense lets a valid license in, and @License reads it", async () => {
      const { options } = await arm(valid);
      const { ask } = await serve(adapter, root(options));
      assert.deepEqual(await ask("/open"), { status: 200, body: { open: true } });
      assert.deepEqual(await ask("/paid", withKey), {
        status: 200,
        body: { key, status: "active", error: null },
      });
    });

    test("401 without a key, 403 with one that is refused, 503 without a verdict", async () => {
      for (const [answers, init, status, error] of [
        [valid, {}, 401, "license_missing"],
        [revoked, withKey, 403, "revoked"],
        [away, withKey, 503, "license_unverified"],
      ] as const) {
        const { options } = await arm([...answers]);
        const { ask } = await serve(adapter, root(options));
        const answer = await ask("/paid", init);
        assert.deepEqual([answer.status, answer.body.error], [status, error]);
      }
    });

    test("advisory lets in without a verdict", async () => {
      const { options } = await arm(away);
      const { ask } = await serve(adapter, root({ ...options, whenUnavailable: "advisory" }));
      assert.deepEqual((await ask("/paid", withKey)).body, { key, status: null, error: "ConnectionError" });
    });

    test("on a class, and skipped on one of its methods", async () => {
      const { options } = await arm(valid);
      const { ask } = await serve(adapter, root(options));
      assert.equal((await ask("/guarded/in")).status, 401);
      assert.equal((await ask("/guarded/in", withKey)).status, 200);
      assert.equal((await ask("/guarded/free")).status, 200);
    });

    test("for the whole app, asked once where several guards stand", async () => {
      const { options, asked } = await arm(valid);
      const { ask } = await serve(adapter, root({ ...options, cacheSeconds: 0 }), { isWhole: true });
      assert.equal((await ask("/open")).status, 401);
      assert.equal((await ask("/guarded/free")).status, 200);
      assert.equal(await asked(), 0);
      assert.equal((await ask("/paid", withKey)).status, 200);
      assert.equal(await asked(), 1);
    });

    test("a version that is not allowed", async () => {
      const { options } = await arm([
        { real: { outcome: { product: { version_module_enabled: 1 }, versions: { "2.0.0": "blocked" } } } },
      ]);
      const { ask } = await serve(adapter, root(options));
      assert.equal((await ask("/newest", withKey)).body.error, "version_not_allowed");
    });

    test("forRootAsync, with a key from elsewhere and the client to be had", async () => {
      const { options } = await arm(valid);
      @Module({ providers: [{ provide: "settings", useValue: options }], exports: ["settings"] })
      class Settings {}
      const { app, ask } = await serve(
        adapter,
        CountersignModule.forRootAsync({
          imports: [Settings],
          inject: ["settings"],
          useFactory: async (given: typeof options) => ({ ...given, key: { query: "license" } }),
        }),
      );
      assert.equal((await ask(`/paid?license=${key}`)).status, 200);
      assert.equal((await ask("/paid", withKey)).status, 401);
      assert.ok(app.get(Asking).client instanceof Countersign);
      assert.equal(app.get(Asking).client, app.get(Countersign));
    });

    test("a webhook is checked by its raw body", async () => {
      const { options } = await arm(valid);
      const { ask } = await serve(adapter, root({ ...options, webhook: { secret } }));
      const body = JSON.stringify({
        type: "license.revoked",
        timestamp: "2026-06-01T12:00:00.000Z",
        data: {},
      });
      const before = taken.length;
      assert.equal((await ask("/hooks", signedDelivery(secret, body))).status, 204);
      assert.equal(taken.at(-1)?.type, "license.revoked");
      const changed = await ask("/hooks", {
        ...signedDelivery(secret, body),
        body: body.replace("revoked", "created"),
      });
      assert.deepEqual([changed.status, changed.body.error], [400, "mismatch"]);
      assert.equal(taken.length, before + 1);
    });

    test("a webhook without the raw body, or without a secret, is the app's mistake, and named", async () => {
      const { options } = await arm(valid);
      const body = JSON.stringify({ type: "x", timestamp: "2026-06-01T12:00:00.000Z", data: {} });
      const parsed = await serve(adapter, root({ ...options, webhook: { secret } }), { rawBody: false });
      const answer = await parsed.ask("/hooks", signedDelivery(secret, body));
      assert.equal(answer.status, 500);
      assert.match(answer.body.message, /rawBody: true/);
      const none = await serve(adapter, root(options));
      assert.match(
        (await none.ask("/hooks", signedDelivery(secret, body))).body.message,
        /webhook: \{ secret \}/,
      );
    });
  });
}

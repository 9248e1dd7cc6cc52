// Tests the guards with the installed NestJS. CONFORMANCE_URL is the URL of the conformance server.
import "reflect-metadata";
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import {
  CountersignModule,
  type CountersignModuleOptions,
  License,
  LicenseGuard,
  licenseOf,
  type RequestLicense,
  RequireLicense,
  SkipLicense,
  Webhook,
  WebhookGuard,
} from "@countersign/nestjs";
import { Countersign, type WebhookEvent } from "@countersign/node";
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type DynamicModule,
  ForbiddenException,
  Get,
  HttpCode,
  type INestApplication,
  Inject,
  Injectable,
  Module,
  Post,
  UseGuards,
} from "@nestjs/common";
import { APP_FILTER, APP_GUARD, BaseExceptionFilter, NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { signedDelivery } from "./signed-delivery.mjs";

const key = "ABCD-EFGH-JKMN-PQRS";
const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const withKey = { headers: { "x-license-key": key } };
const valid = [{ real: {} }];
const revoked = [{ real: { outcome: "a revoked license is refused" } }];
const full = [{ real: { outcome: "a full license refuses a new address" } }];
const unreachable = [{ fault: "cut" }];

const adapters = { Express: () => new ExpressAdapter(), Fastify: () => new FastifyAdapter() };
const apps: INestApplication[] = [];
after(() => Promise.all(apps.map((app) => app.close())));

@Controller()
class ShopController {
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
class GuardedController {
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
class WebhookController {
  @Post()
  @HttpCode(204)
  @UseGuards(WebhookGuard)
  handle(@Webhook() event: WebhookEvent) {
    received.push(event);
  }
}

const received: WebhookEvent[] = [];

@Injectable()
class ClientUser {
  constructor(@Inject(Countersign) readonly client: Countersign) {}
}

@Catch(ForbiddenException)
class PortalFilter extends BaseExceptionFilter<ForbiddenException> {
  constructor(@Inject(Countersign) readonly client: Countersign) {
    super();
  }

  override catch(_exception: ForbiddenException, host: ArgumentsHost) {
    const key = licenseOf(host.switchToHttp().getRequest())?.key ?? "";
    super.catch(new ForbiddenException({ url: this.client.portalUrl(key) }), host);
  }
}

/** Starts a case with these answers, and returns the options of a client for it. */
async function startCase(answers: object[]) {
  const started = await fetch(`${process.env.CONFORMANCE_URL}/cases`, {
    method: "POST",
    body: JSON.stringify({ now: "2026-06-01T12:00:00.000Z", answers }),
  });
  const { url, client = {} } = (await started.json()) as { url: string; client?: { api_key?: string } };
  return {
    options: { apiKey: client.api_key ?? "csk_test", baseUrl: url },
    requestCount: async () => ((await (await fetch(url)).json()) as { requests: object[] }).requests.length,
  };
}

async function serve(
  adapter: () => ExpressAdapter | FastifyAdapter,
  countersign: DynamicModule,
  { isGlobalGuard = false, hasPortalFilter = false, rawBody = true } = {},
) {
  @Module({
    imports: [countersign],
    controllers: [ShopController, GuardedController, WebhookController],
    providers: [
      ClientUser,
      ...(isGlobalGuard ? [{ provide: APP_GUARD, useExisting: LicenseGuard }] : []),
      ...(hasPortalFilter ? [{ provide: APP_FILTER, useClass: PortalFilter }] : []),
    ],
  })
  class App {}
  const app = await NestFactory.create(App, adapter() as ExpressAdapter, { logger: false, rawBody });
  await app.listen(0, "127.0.0.1");
  apps.push(app);
  const url = await app.getUrl();
  const request = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, init);
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
  return { app, request };
}

for (const [name, adapter] of Object.entries(adapters)) {
  describe(`NestJS on ${name}`, () => {
    const root = (options: CountersignModuleOptions) => CountersignModule.forRoot(options);

    test("@RequireLicense accepts a valid license, and @License injects it", async () => {
      const { options } = await startCase(valid);
      const { request } = await serve(adapter, root(options));
      assert.deepEqual(await request("/open"), { status: 200, body: { open: true } });
      assert.deepEqual(await request("/paid", withKey), {
        status: 200,
        body: { key, status: "active", error: null },
      });
    });

    test("the response is 401 without a key, 403 to a rejected license and 503 without a verdict", async () => {
      for (const [answers, init, status, error] of [
        [valid, {}, 401, "license_missing"],
        [revoked, withKey, 403, "revoked"],
        [unreachable, withKey, 503, "license_unverified"],
      ] as const) {
        const { options } = await startCase([...answers]);
        const { request } = await serve(adapter, root(options));
        const answer = await request("/paid", init);
        assert.deepEqual([answer.status, answer.body.error], [status, error]);
      }
    });

    test("an exception filter can link to the portal, and the default response never contains the key", async () => {
      const { options } = await startCase(full);
      const linked = await serve(adapter, root(options), { hasPortalFilter: true });
      assert.deepEqual(await linked.request("/paid", withKey), {
        status: 403,
        body: { url: `${options.baseUrl}/portal/open#${key}` },
      });
      const plain = await serve(adapter, root(options));
      const { body } = await plain.request("/paid", withKey);
      assert.equal(body.error, "ip_limit_reached");
      assert.ok(!JSON.stringify(body).includes(key));
    });

    test("advisory mode accepts a request without a verdict", async () => {
      const { options } = await startCase(unreachable);
      const { request } = await serve(adapter, root({ ...options, whenUnavailable: "advisory" }));
      assert.deepEqual((await request("/paid", withKey)).body, {
        key,
        status: null,
        error: "ConnectionError",
      });
    });

    test("@RequireLicense applies to a class, except for methods with @SkipLicense", async () => {
      const { options } = await startCase(valid);
      const { request } = await serve(adapter, root(options));
      assert.equal((await request("/guarded/in")).status, 401);
      assert.equal((await request("/guarded/in", withKey)).status, 200);
      assert.equal((await request("/guarded/free")).status, 200);
    });

    test("a global guard covers the whole app, and several guards send one request", async () => {
      const { options, requestCount } = await startCase(valid);
      const { request } = await serve(adapter, root({ ...options, cacheSeconds: 0 }), {
        isGlobalGuard: true,
      });
      assert.equal((await request("/open")).status, 401);
      assert.equal((await request("/guarded/free")).status, 200);
      assert.equal(await requestCount(), 0);
      assert.equal((await request("/paid", withKey)).status, 200);
      assert.equal(await requestCount(), 1);
    });

    test("a version that is not allowed is rejected", async () => {
      const { options } = await startCase([
        { real: { outcome: { product: { version_module_enabled: 1 }, versions: { "2.0.0": "blocked" } } } },
      ]);
      const { request } = await serve(adapter, root(options));
      assert.equal((await request("/newest", withKey)).body.error, "version_not_allowed");
    });

    test("forRootAsync takes the options of a factory, and the client can be injected", async () => {
      const { options } = await startCase(valid);
      @Module({ providers: [{ provide: "settings", useValue: options }], exports: ["settings"] })
      class Settings {}
      const { app, request } = await serve(
        adapter,
        CountersignModule.forRootAsync({
          imports: [Settings],
          inject: ["settings"],
          useFactory: async (given: typeof options) => ({ ...given, key: { query: "license" } }),
        }),
      );
      assert.equal((await request(`/paid?license=${key}`)).status, 200);
      assert.equal((await request("/paid", withKey)).status, 401);
      assert.ok(app.get(ClientUser).client instanceof Countersign);
      assert.equal(app.get(ClientUser).client, app.get(Countersign));
    });

    test("a webhook is verified against its raw body", async () => {
      const { options } = await startCase(valid);
      const { request } = await serve(adapter, root({ ...options, webhook: { secret } }));
      const body = JSON.stringify({
        type: "license.revoked",
        timestamp: "2026-06-01T12:00:00.000Z",
        data: {},
      });
      const before = received.length;
      assert.equal((await request("/hooks", signedDelivery(secret, body))).status, 204);
      assert.equal(received.at(-1)?.type, "license.revoked");
      const changed = await request("/hooks", {
        ...signedDelivery(secret, body),
        body: body.replace("revoked", "created"),
      });
      assert.deepEqual([changed.status, changed.body.error], [400, "mismatch"]);
      assert.equal(received.length, before + 1);
    });

    test("a missing raw body or secret is reported as a configuration error", async () => {
      const { options } = await startCase(valid);
      const body = JSON.stringify({ type: "x", timestamp: "2026-06-01T12:00:00.000Z", data: {} });
      const parsed = await serve(adapter, root({ ...options, webhook: { secret } }), { rawBody: false });
      const answer = await parsed.request("/hooks", signedDelivery(secret, body));
      assert.equal(answer.status, 500);
      assert.match(answer.body.message, /rawBody: true/);
      const none = await serve(adapter, root(options));
      assert.match(
        (await none.request("/hooks", signedDelivery(secret, body))).body.message,
        /webhook: \{ secret \}/,
      );
    });
  });
}

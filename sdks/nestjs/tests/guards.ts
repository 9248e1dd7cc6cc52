// Tests the guards with the installed NestJS. CONFORMANCE_URL is the URL of the conformance server.
import "reflect-metadata";
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import {
  type AnyRequest,
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
import { Countersign, CountersignError, type WebhookEvent } from "@countersign/node";
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type DynamicModule,
  ForbiddenException,
  Get,
  HttpCode,
  HttpException,
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
const full = [{ real: { outcome: "a new IP address is refused if the limit is reached" } }];
const unreachable = [{ fault: "cut" }];
const wrongApiKey = [{ real: { api_key: "wrong" } }];
const limited = [{ status: 429, headers: { "retry-after": "120" } }];
const notFound = [{ validate: { valid: false, status: "license_not_found" } }];

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

@Controller("unguarded")
@SkipLicense()
class UnguardedController {
  @Get("free")
  free() {
    return { free: true };
  }

  @Get("in")
  @RequireLicense()
  in() {
    return { in: true };
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

@Catch(HttpException)
class CauseFilter extends BaseExceptionFilter<HttpException> {
  override catch(exception: HttpException, host: ArgumentsHost) {
    const cause = exception.cause instanceof CountersignError ? exception.cause.name : null;
    super.catch(new HttpException({ cause }, exception.getStatus()), host);
  }
}

type HeadersOf = Record<string, string>;

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
    userAgent: async () => {
      const { requests } = (await (await fetch(url)).json()) as { requests: { headers: HeadersOf }[] };
      return requests[0]?.headers["user-agent"];
    },
  };
}

async function serve(
  adapter: () => ExpressAdapter | FastifyAdapter,
  countersign: DynamicModule,
  { isGlobalGuard = false, hasPortalFilter = false, hasCauseFilter = false, rawBody = true } = {},
) {
  @Module({
    imports: [countersign],
    controllers: [ShopController, GuardedController, UnguardedController, WebhookController],
    providers: [
      ClientUser,
      ...(isGlobalGuard ? [{ provide: APP_GUARD, useExisting: LicenseGuard }] : []),
      ...(hasCauseFilter ? [{ provide: APP_FILTER, useClass: CauseFilter }] : []),
      ...(hasPortalFilter ? [{ provide: APP_FILTER, useClass: PortalFilter }] : []),
    ],
  })
  class App {}
  const app = await NestFactory.create(App, adapter() as ExpressAdapter, { logger: false, rawBody });
  await app.listen(0, "127.0.0.1");
  // The client reuses connections: on a busy machine, one that is closed after 5 idle seconds can be in use again.
  app.getHttpServer().keepAliveTimeout = 0;
  apps.push(app);
  const url = await app.getUrl();
  const request = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, init);
    const text = await response.text();
    const body = text.startsWith("{") ? JSON.parse(text) : text;
    return { status: response.status, body, retryAfter: response.headers.get("retry-after") };
  };
  return { app, request };
}

for (const [name, adapter] of Object.entries(adapters)) {
  describe(`NestJS on ${name}`, () => {
    const root = (options: CountersignModuleOptions) => CountersignModule.forRoot(options);

    test("@RequireLicense accepts a valid license, and @License injects it", async () => {
      const { options, userAgent } = await startCase(valid);
      const { request } = await serve(adapter, root(options));
      assert.deepEqual((await request("/open")).body, { open: true });
      assert.deepEqual((await request("/paid", withKey)).body, { key, status: "active", error: null });
      assert.equal(await userAgent(), "countersign-node/0.2.0 countersign-nestjs/0.2.0");
    });

    test("each kind of refusal has its own response, and says what support needs to know", async () => {
      for (const [answers, init, status, body] of [
        [valid, {}, 401, { error: "license_missing" }],
        [revoked, withKey, 403, { error: "revoked", request_id: "req-1" }],
        [wrongApiKey, withKey, 500, { error: "license_misconfigured", request_id: "req-1" }],
        [limited, withKey, 503, { error: "license_unverified", request_id: "req-1", retry_after: 120 }],
        [unreachable, withKey, 503, { error: "license_unverified" }],
      ] as const) {
        const { options } = await startCase([...answers]);
        const { request } = await serve(adapter, root(options));
        const answer = await request("/paid", init);
        const { message, ...rest } = answer.body;
        assert.deepEqual([answer.status, rest, typeof message], [status, body, "string"]);
        assert.equal(answer.retryAfter, "retry_after" in body ? String(body.retry_after) : null);
      }
    });

    test("an exception carries its cause, and the failure is logged once", async () => {
      const { options } = await startCase(wrongApiKey);
      const lines: string[] = [];
      const logger = { error: (message: string) => void lines.push(message) };
      const { request } = await serve(adapter, root({ ...options, logger }), { hasCauseFilter: true });
      for (let count = 0; count < 2; count += 1)
        assert.deepEqual((await request("/paid", withKey)).body, { cause: "AuthenticationError" });
      assert.deepEqual([lines.length, /COUNTERSIGN_API_KEY/.test(lines[0] ?? "")], [1, true]);
    });

    test("unknown keys are limited per IP address, and the address can come from elsewhere", async () => {
      const { options } = await startCase(notFound);
      const address = ({ headers }: AnyRequest) => String(headers["x-real-ip"] ?? "");
      const limits = { unknownKeysPerMinute: 2, address, logger: {} };
      const { request } = await serve(adapter, root({ ...options, ...limits }));
      const statusFor = async (licenseKey: string, ip: string) =>
        (await request("/paid", { headers: { "x-license-key": licenseKey, "x-real-ip": ip } })).status;
      const statuses = await Promise.all(["A", "B", "C", "D"].map((one) => statusFor(one, "203.0.113.1")));
      assert.deepEqual(statuses.sort(), [403, 403, 429, 429]);
      assert.equal(await statusFor("E", "203.0.113.2"), 403);
      const refused = await request("/paid", {
        headers: { "x-license-key": "F", "x-real-ip": "203.0.113.1" },
      });
      assert.equal(refused.body.error, "too_many_unknown_keys");
      assert.equal(refused.retryAfter, String(refused.body.retry_after));
    });

    test("a key function that fails, even with undefined, does not let the request in", async () => {
      const { options } = await startCase(valid);
      for (const thrown of [new Error("no such session"), undefined]) {
        const { request } = await serve(adapter, root({ ...options, key: () => Promise.reject(thrown) }));
        assert.equal((await request("/paid", withKey)).status, 500);
      }
    });

    test("an exception filter can link to the portal, and the default response never contains the key", async () => {
      const { options } = await startCase(full);
      const linked = await serve(adapter, root(options), { hasPortalFilter: true });
      const { status, body: linkedBody } = await linked.request("/paid", withKey);
      assert.deepEqual([status, linkedBody], [403, { url: `${options.baseUrl}/portal/open#${key}` }]);
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

    test("@SkipLicense applies to a class, except for methods with @RequireLicense", async () => {
      const { options } = await startCase(valid);
      const { request } = await serve(adapter, root(options), { isGlobalGuard: true });
      assert.equal((await request("/unguarded/free")).status, 200);
      assert.equal((await request("/unguarded/in")).status, 401);
      assert.equal((await request("/unguarded/in", withKey)).status, 200);
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

    test("a request of a version that is not allowed is refused", async () => {
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

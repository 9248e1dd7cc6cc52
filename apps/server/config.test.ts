import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseIpAddress } from "@countersign/domain/ip/ip-address";
import { mayBeCalled, noAllowedTargets } from "@countersign/domain/webhooks/allowed-targets";
import { type Config, ConfigProblem, type Environment, readConfig } from "./config.ts";
import { OperatorProblem } from "./operator-problem.ts";

test("every setting has a default", () => {
  const { trustedProxies, webhookTargets, ...rest } = readConfig({});
  expect(trustedProxies.size).toBe(0);
  expect(webhookTargets).toEqual(noAllowedTargets);
  expect(rest).toEqual({
    port: 3000,
    host: "127.0.0.1",
    url: "http://127.0.0.1:3000",
    portalUrl: "http://127.0.0.1:3000/portal",
    portalHasOwnHost: false,
    dataFolder: resolve("data"),
    database: { kind: "sqlite", folder: resolve("data") },
    defaultPlan: null,
    signUp: null,
    stripe: null,
    discord: null,
    mail: null,
    metricsToken: null,
    traces: null,
    dailyEmails: null,
    language: "en",
    durability: "standard",
    encryptionKey: null,
    logLevel: "info",
    logFormat: "auto",
    requestLogDays: null,
    requestLogMegabytes: null,
    geoipFile: null,
    webhookEndpoints: null,
  });
});

test("the manual lists every setting", () => {
  const manual = readFileSync(join(import.meta.dir, "../../docs/operating/README.md"), "utf8");
  const read = new Set<string>();
  const environment = new Proxy({}, { get: (_, name) => void read.add(String(name)) });
  readConfig(environment);
  expect(read.size).toBeGreaterThan(50);
  const ofThisProgram = [...read].filter((name) => !name.endsWith("_FILE") && !name.startsWith("LC_"));
  expect(ofThisProgram.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
});

describe("a valid value is used", () => {
  const postgres = "postgres://user:secret@db.example.com:5432/countersign";
  const rows: [Environment, Partial<Config>][] = [
    [{ PORT: "8080" }, { port: 8080, url: "http://127.0.0.1:8080" }],
    [{ PORT: "0" }, { port: 0 }],
    [{ PORT: "65535" }, { port: 65_535 }],
    [{ HOST: "0.0.0.0" }, { host: "0.0.0.0", url: "http://0.0.0.0:3000" }],
    [{ HOST: "::1" }, { host: "::1", url: "http://[::1]:3000" }],
    [{ COUNTERSIGN_URL: "https://license.example.com" }, { url: "https://license.example.com" }],
    [
      { COUNTERSIGN_PORTAL_URL: "https://portal.example.com/" },
      { portalUrl: "https://portal.example.com", portalHasOwnHost: true },
    ],
    [{ COUNTERSIGN_URL: "https://example.com/license//" }, { url: "https://example.com/license" }],
    [
      { COUNTERSIGN_DATA: "/srv/cs" },
      { dataFolder: "/srv/cs", database: { kind: "sqlite", folder: "/srv/cs" } },
    ],
    [{ COUNTERSIGN_DATA: "here" }, { dataFolder: resolve("here") }],
    [{ DATABASE_URL: postgres }, { database: { kind: "postgres", url: postgres } }],
    [{ DATABASE_URL: "postgresql://h/d" }, { database: { kind: "postgres", url: "postgresql://h/d" } }],
    [{ COUNTERSIGN_DEFAULT_PLAN: "free" }, { defaultPlan: "free" }],
    [{ COUNTERSIGN_SIGN_UP: "closed" }, { signUp: "closed" }],
    [{ COUNTERSIGN_SIGN_UP: "open" }, { signUp: "open" }],
    [{ COUNTERSIGN_DAILY_EMAILS: "0" }, { dailyEmails: 0 }],
    [
      { COUNTERSIGN_STRIPE_SECRET_KEY: "sk_test_abc", COUNTERSIGN_STRIPE_WEBHOOK_SECRET: "whsec_abc" },
      {
        stripe: {
          secretKey: "sk_test_abc",
          webhookSecret: "whsec_abc",
          url: "https://api.stripe.com",
          mode: "test",
        },
      },
    ],
    [
      {
        COUNTERSIGN_STRIPE_SECRET_KEY: "rk_live_abc",
        COUNTERSIGN_STRIPE_WEBHOOK_SECRET: "whsec_abc",
        COUNTERSIGN_STRIPE_URL: "http://127.0.0.1:12111/",
      },
      {
        stripe: {
          secretKey: "rk_live_abc",
          webhookSecret: "whsec_abc",
          url: "http://127.0.0.1:12111",
          mode: "live",
        },
      },
    ],
    [{ LANG: "de_DE.UTF-8" }, { language: "de" }],
    [{ LANG: "de_DE.UTF-8", LC_MESSAGES: "es_ES.UTF-8" }, { language: "es" }],
    [{ LANG: "de_DE.UTF-8", LC_ALL: "C" }, { language: "en" }],
    [
      { COUNTERSIGN_DISCORD_CLIENT_ID: "1", COUNTERSIGN_DISCORD_CLIENT_SECRET: "s" },
      { discord: { clientId: "1", clientSecret: "s", url: "https://discord.com" } },
    ],
    [
      { COUNTERSIGN_STRIPE_SECRET_KEY: "rk_live_1", COUNTERSIGN_STRIPE_WEBHOOK_SECRET: "whsec_12345678" },
      {
        stripe: {
          secretKey: "rk_live_1",
          webhookSecret: "whsec_12345678",
          url: "https://api.stripe.com",
          mode: "live",
        },
      },
    ],
    [
      {
        COUNTERSIGN_STRIPE_SECRET_KEY: "sk_test_1",
        COUNTERSIGN_STRIPE_WEBHOOK_SECRET: "whsec_12345678",
        COUNTERSIGN_STRIPE_URL: "http://localhost:12111/",
      },
      {
        stripe: {
          secretKey: "sk_test_1",
          webhookSecret: "whsec_12345678",
          url: "http://localhost:12111",
          mode: "test",
        },
      },
    ],
    [{ COUNTERSIGN_DURABILITY: "strict" }, { durability: "strict" }],
    [{ COUNTERSIGN_ENCRYPTION_KEY: "sixteen letters!" }, { encryptionKey: "sixteen letters!" }],
    [{ COUNTERSIGN_LOG_LEVEL: "debug" }, { logLevel: "debug" }],
    [{ COUNTERSIGN_LOG_FORMAT: "pretty" }, { logFormat: "pretty" }],
    [{ COUNTERSIGN_REQUEST_LOG_DAYS: "1" }, { requestLogDays: 1 }],
    [{ COUNTERSIGN_REQUEST_LOG_DAYS: "3650" }, { requestLogDays: 3650 }],
    [{ COUNTERSIGN_REQUEST_LOG_MB: "500" }, { requestLogMegabytes: 500 }],
    [{ COUNTERSIGN_WEBHOOK_ENDPOINTS: "1" }, { webhookEndpoints: 1 }],
    [{ COUNTERSIGN_WEBHOOK_ENDPOINTS: "1000" }, { webhookEndpoints: 1000 }],
    [{ COUNTERSIGN_METRICS_TOKEN: "sixteen-letters!" }, { metricsToken: "sixteen-letters!" }],
    [{ OTEL_SERVICE_NAME: "a" }, { traces: null }],
    [
      { PORT: "", HOST: "", DATABASE_URL: "" },
      { port: 3000, host: "127.0.0.1" },
    ],
  ];
  test.each(rows)("%j", (environment, settings) => {
    expect(readConfig(environment)).toMatchObject(settings);
  });

  test("webhooks can reach the private networks and hosts that are listed", () => {
    const { webhookTargets } = readConfig({ COUNTERSIGN_WEBHOOK_ALLOW: "10.1.0.0/16, Hooks.Internal., ::1" });
    const may = (host: string, address: string) => mayBeCalled({ host, port: 443 }, address, webhookTargets);
    expect(may("x.example.com", "10.1.2.3")).toBe(true);
    expect(may("x.example.com", "10.2.2.3")).toBe(false);
    expect(may("hooks.internal", "192.168.0.1")).toBe(true);
    expect(may("x", "::1")).toBe(true);
  });

  test("only listed proxies are trusted", () => {
    const { trustedProxies } = readConfig({ COUNTERSIGN_TRUSTED_PROXIES: "10.0.0.0/8, 2001:db8::1" });
    const covers = (ip: string) => {
      const address = parseIpAddress(ip);
      return address !== null && trustedProxies.covers(address, Date.now());
    };
    expect(["10.1.2.3", "2001:db8::1", "11.0.0.1", "2001:db8::2"].map(covers)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("an invalid value stops the start, and the message names the setting and what it must be", () => {
  const rows: [name: string, value: string, shouldBe: string][] = [
    ["PORT", "http", "a whole number from 0 to 65535"],
    ["PORT", "65536", "a whole number from 0 to 65535"],
    ["PORT", "-1", "a whole number from 0 to 65535"],
    ["PORT", "80.5", "a whole number from 0 to 65535"],
    ["PORT", " ", "a whole number from 0 to 65535"],
    ["PORT", " 80", "a whole number from 0 to 65535"],
    ["PORT", "0x50", "a whole number from 0 to 65535"],
    ["PORT", "99999999999999999999", "a whole number from 0 to 65535"],
    ["COUNTERSIGN_URL", "license.example.com", "https://license.example.com"],
    ["COUNTERSIGN_URL", "ftp://license.example.com", "https://license.example.com"],
    ["COUNTERSIGN_URL", "javascript:alert(1)", "https://license.example.com"],
    ["DATABASE_URL", "mysql://user:secret@host/db", "postgres://user:password@host:5432/database"],
    ["DATABASE_URL", "user:secret@host", "postgres://user:password@host:5432/database"],
    ["DATABASE_URL", "http://user:secret@host", "postgres://user:password@host:5432/database"],
    ["COUNTERSIGN_TRUSTED_PROXIES", "true", "addresses or CIDRs"],
    ["COUNTERSIGN_TRUSTED_PROXIES", "1", "addresses or CIDRs"],
    ["COUNTERSIGN_TRUSTED_PROXIES", "0.0.0.0/0", "addresses or CIDRs"],
    ["COUNTERSIGN_TRUSTED_PROXIES", "::/0", "addresses or CIDRs"],
    ["COUNTERSIGN_TRUSTED_PROXIES", "10.0.0.0/33", "addresses or CIDRs"],
    ["COUNTERSIGN_TRUSTED_PROXIES", "10.0.0.0/8, proxy.local", "addresses or CIDRs"],
    ["COUNTERSIGN_WEBHOOK_ALLOW", "10.0.0.0/33", "10.1.0.0/16, hooks.internal"],
    ["COUNTERSIGN_WEBHOOK_ALLOW", "127.0.1", "10.1.0.0/16, hooks.internal"],
    ["COUNTERSIGN_WEBHOOK_ALLOW", "http://hooks.internal", "10.1.0.0/16, hooks.internal"],
    ["COUNTERSIGN_WEBHOOK_ALLOW", "*.internal", "10.1.0.0/16, hooks.internal"],
    ["COUNTERSIGN_DEFAULT_PLAN", "Pro", "free, pro, enterprise"],
    ["COUNTERSIGN_SIGN_UP", "yes", "closed, open"],
    ["COUNTERSIGN_DISCORD_URL", "discord", "https://discord.com"],
    ["COUNTERSIGN_STRIPE_URL", "stripe", "https://api.stripe.com"],
    ["COUNTERSIGN_STRIPE_URL", "https://proxy.example.com/stripe", "without a path"],
    ["COUNTERSIGN_DURABILITY", "maximum", "standard, strict"],
    ["COUNTERSIGN_ENCRYPTION_KEY", "fifteen letters", "at least 16 characters"],
    ["COUNTERSIGN_LOG_LEVEL", "verbose", "debug, info, warn, error"],
    ["COUNTERSIGN_LOG_FORMAT", "text", "auto, json, pretty"],
    ["COUNTERSIGN_REQUEST_LOG_MB", "9", "a whole number from 10 to 10000000"],
    ["COUNTERSIGN_REQUEST_LOG_DAYS", "0", "a whole number from 1 to 3650"],
    ["COUNTERSIGN_REQUEST_LOG_DAYS", "forever", "a whole number from 1 to 3650"],
    ["COUNTERSIGN_WEBHOOK_ENDPOINTS", "0", "a whole number from 1 to 1000"],
    ["COUNTERSIGN_METRICS_TOKEN", "fifteen-letters", "16 to 512"],
    ["COUNTERSIGN_METRICS_TOKEN", "a token that has spaces", "without spaces"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318", "must be a URL"],
  ];
  test.each(rows)("%s=%s", (name, value, shouldBe) => {
    const message = problemOf({ [name]: value });
    expect(message).toStartWith(name);
    expect(message).toContain(shouldBe);
  });

  test("a Discord client ID without its secret is rejected", () => {
    expect(problemOf({ COUNTERSIGN_DISCORD_CLIENT_ID: "1" })).toContain("CLIENT_SECRET together, or neither");
  });

  test("a key of Stripe without the secret of its webhook is rejected, and the other way round", () => {
    for (const environment of [
      { COUNTERSIGN_STRIPE_SECRET_KEY: "sk_test_1" },
      { COUNTERSIGN_STRIPE_WEBHOOK_SECRET: "whsec_12345678" },
    ])
      expect(problemOf(environment)).toContain("WEBHOOK_SECRET together, or neither");
  });

  test("a value that may contain a secret is not repeated", () => {
    expect(problemOf({ DATABASE_URL: "mysql://user:hunter2@host/db" })).not.toContain("hunter2");
    expect(problemOf({ COUNTERSIGN_ENCRYPTION_KEY: "hunter2" })).not.toContain("hunter2");
  });
});

describe("a setting can be read from a file", () => {
  let folder = "";
  const file = (text: string) => {
    const path = join(folder, `setting-${Math.random()}`);
    writeFileSync(path, text);
    return path;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "countersign-config-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("without the line break at its end", () => {
    const environment = { COUNTERSIGN_ENCRYPTION_KEY_FILE: file("a passphrase from a file\n") };
    expect(readConfig(environment).encryptionKey).toBe("a passphrase from a file");
  });

  test("whichever setting it is", () => {
    expect(readConfig({ PORT_FILE: file("8081\n") }).port).toBe(8081);
  });

  test("but not together with a value", () => {
    const environment = { DATABASE_URL: "postgres://h/d", DATABASE_URL_FILE: file("postgres://h/e") };
    expect(problemOf(environment)).toBe("Set DATABASE_URL or DATABASE_URL_FILE, not both.");
  });

  test("a missing file is named", () => {
    const path = join(folder, "missing");
    expect(problemOf({ DATABASE_URL_FILE: path })).toBe(
      `DATABASE_URL_FILE points to ${path}, which cannot be read.`,
    );
  });

  test("an empty file does not turn encryption off", () => {
    expect(problemOf({ COUNTERSIGN_ENCRYPTION_KEY_FILE: file("\n") })).toContain(
      "COUNTERSIGN_ENCRYPTION_KEY",
    );
  });
});

function problemOf(environment: Environment): string {
  try {
    readConfig(environment);
  } catch (problem) {
    expect(problem).toBeInstanceOf(ConfigProblem);
    expect(problem).toBeInstanceOf(OperatorProblem);
    return problem instanceof ConfigProblem ? problem.message : "";
  }
  throw new Error("The settings were accepted.");
}

test.each([
  ["pk_test_published", "whsec_12345678", "COUNTERSIGN_STRIPE_SECRET_KEY"],
  ["sk_test_1", "short", "COUNTERSIGN_STRIPE_WEBHOOK_SECRET"],
])("the keys of Stripe %s and %s are refused without repeating them", (secretKey, webhookSecret, named) => {
  const read = () =>
    readConfig({
      COUNTERSIGN_STRIPE_SECRET_KEY: secretKey,
      COUNTERSIGN_STRIPE_WEBHOOK_SECRET: webhookSecret,
    });
  expect(read).toThrow(named);
  expect(read).not.toThrow(secretKey);
  expect(read).not.toThrow(webhookSecret);
});

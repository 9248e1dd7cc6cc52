import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { mayBeCalled, noAllowedTargets } from "@countersign/domain/webhooks/targets";
import { serve } from "../cli/serve.ts";
import { type Config, readConfig } from "./config.ts";
import { ConfigProblem, type Environment } from "./environment.ts";
import { OperatorProblem } from "./operator-problem.ts";
import { settings } from "./settings.ts";

test("every setting has a default", () => {
  const { trustedProxies, webhookTargets, ...settings } = readConfig({});
  expect(trustedProxies.size).toBe(0);
  expect(webhookTargets).toEqual(noAllowedTargets);
  const set = Object.entries(settings).filter(([, value]) => value !== null);
  expect(Object.fromEntries(set)).toEqual({
    port: 3000,
    host: "127.0.0.1",
    url: "http://127.0.0.1:3000",
    urlIsSet: false,
    unknownNames: [],
    portalUrl: "http://127.0.0.1:3000/portal",
    portalHasOwnHost: false,
    dataFolder: resolve("data"),
    database: { kind: "sqlite", folder: resolve("data") },
    language: "en",
    durability: "standard",
    logLevel: "info",
    logFormat: "auto",
    drainSeconds: 0,
  });
});

test("every setting that is read is described, and every one that is described is read", () => {
  const read = new Set<string>();
  // Without an endpoint, the other settings of traces are not read.
  const given: Environment = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
  const noted = (_: object, name: string | symbol) => {
    read.add(String(name));
    return given[String(name)];
  };
  readConfig(new Proxy({}, { get: noted }));
  const isFile = (name: string) => name.endsWith("_FILE") && read.has(name.slice(0, -"_FILE".length));
  const ofThisProgram = [...read].filter((name) => !isFile(name) && !/^LC_|^container$/.test(name));
  expect(ofThisProgram.sort()).toEqual(settings.map(({ name }) => name).sort());
  for (const { name } of settings) expect(serve.help).toContain(`\n  ${name} `);
});

test("each default that is described is the one that holds", () => {
  const needed = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", ...stripe("sk_test_1"), ...discord };
  const whole = readConfig(needed);
  // The platform admin can choose these. Where they are used, the default is the same.
  const chosen = {
    dailyEmails: null,
    requestLogDays: null,
    requestLogMegabytes: null,
    webhookEndpoints: null,
    signUp: null,
  };
  for (const { name, default: value } of settings)
    if (value !== null) {
      const sampler = name === "OTEL_TRACES_SAMPLER_ARG" ? { OTEL_TRACES_SAMPLER: "traceidratio" } : {};
      const given = { ...needed, ...sampler };
      const expected = name === "OTEL_TRACES_SAMPLER_ARG" ? readConfig(given) : whole;
      expect([name, { ...readConfig({ ...given, [name]: value }), ...chosen }]).toEqual([
        name,
        { ...expected, ...chosen },
      ]);
    }
});

const stripe = (secretKey: string, webhookSecret = "whsec_12345678") => ({
  COUNTERSIGN_STRIPE_SECRET_KEY: secretKey,
  COUNTERSIGN_STRIPE_WEBHOOK_SECRET: webhookSecret,
});
const keys = (secretKey: string) => ({ secretKey, webhookSecret: "whsec_12345678" });
const discord = { COUNTERSIGN_DISCORD_CLIENT_ID: "1", COUNTERSIGN_DISCORD_CLIENT_SECRET: "s" };

describe("valid values", () => {
  const postgres = "postgres://user:secret@db.example.com:5432/countersign";
  const rows: [Environment, Partial<Config>][] = [
    [{ PORT: "0" }, { port: 0, url: "http://127.0.0.1:0" }],
    [{ PORT: "65535" }, { port: 65_535 }],
    [{ HOST: "0.0.0.0" }, { host: "0.0.0.0", url: "http://192.0.2.7:3000", urlIsSet: false }],
    [
      { HOST: "0.0.0.0", container: "podman" },
      { url: "http://localhost:3000", urlIsSet: false },
    ],
    [{ HOST: "::", PORT: "80", container: "oci" }, { url: "http://localhost:80" }],
    [{ container: "oci" }, { url: "http://127.0.0.1:3000" }],
    [{ HOST: "localhost" }, { host: "localhost", url: "http://localhost:3000" }],
    [{ HOST: "[::1]" }, { host: "::1", url: "http://[::1]:3000" }],
    [{ HOST: "::" }, { host: "::", url: "http://192.0.2.7:3000" }],
    [{ HOST: "::1" }, { host: "::1", url: "http://[::1]:3000" }],
    [{ COUNTERSIGN_PORTAL_URL: "https://a.b/" }, { portalUrl: "https://a.b", portalHasOwnHost: true }],
    [
      { COUNTERSIGN_URL: "https://example.com/license//" },
      { url: "https://example.com/license", urlIsSet: true },
    ],
    [{ COUNTERSIGN_DATA: "/cs" }, { dataFolder: "/cs", database: { kind: "sqlite", folder: "/cs" } }],
    [{ COUNTERSIGN_DATA: "here" }, { dataFolder: resolve("here") }],
    [{ DATABASE_URL: postgres }, { database: { kind: "postgres", url: postgres } }],
    [{ COUNTERSIGN_DEFAULT_PLAN: "free" }, { defaultPlan: "free" }],
    [{ COUNTERSIGN_SIGN_UP: "closed" }, { signUp: "closed" }],
    [{ COUNTERSIGN_DAILY_EMAILS: "0" }, { dailyEmails: 0 }],
    [stripe("sk_test_1"), { stripe: { ...keys("sk_test_1"), url: "https://api.stripe.com", mode: "test" } }],
    [
      { ...stripe("rk_live_abc"), COUNTERSIGN_STRIPE_URL: "http://127.0.0.1:12111/" },
      { stripe: { ...keys("rk_live_abc"), url: "http://127.0.0.1:12111", mode: "live" } },
    ],
    [{ LANG: "de_DE.UTF-8", LC_MESSAGES: "es_ES.UTF-8" }, { language: "es" }],
    [{ LANG: "de_DE.UTF-8", LC_ALL: "C" }, { language: "en" }],
    [discord, { discord: { clientId: "1", clientSecret: "s", url: "https://discord.com" } }],
    [{ COUNTERSIGN_DURABILITY: "strict" }, { durability: "strict" }],
    [{ COUNTERSIGN_ENCRYPTION_KEY: "sixteen letters!" }, { encryptionKey: "sixteen letters!" }],
    [{ COUNTERSIGN_LOG_LEVEL: "debug" }, { logLevel: "debug" }],
    [{ COUNTERSIGN_LOG_FORMAT: "pretty" }, { logFormat: "pretty" }],
    [{ COUNTERSIGN_REQUEST_LOG_DAYS: "3650" }, { requestLogDays: 3650 }],
    [{ COUNTERSIGN_AUDIT_LOG_ARCHIVE: "" }, { auditLogArchive: null }],
    [{ COUNTERSIGN_AUDIT_LOG_ARCHIVE: "none" }, { auditLogArchive: "none" }],
    [{ COUNTERSIGN_AUDIT_LOG_ARCHIVE: "archive" }, { auditLogArchive: { folder: resolve("archive") } }],
    [{ COUNTERSIGN_REQUEST_LOG_MB: "500" }, { requestLogMegabytes: 500 }],
    [{ COUNTERSIGN_WEBHOOK_ENDPOINTS: "1000" }, { webhookEndpoints: 1000 }],
    [{ COUNTERSIGN_METRICS_TOKEN: "sixteen-letters!" }, { metricsToken: "sixteen-letters!" }],
    [{ OTEL_SERVICE_NAME: "a" }, { traces: null }],
    [{ DATABASE_URL: "" }, { database: { kind: "sqlite", folder: resolve("data") } }],
  ];
  test.each(rows)("the values in %j are used", (environment, settings) =>
    expect(readConfig(environment, () => "192.0.2.7")).toMatchObject(settings),
  );

  test("a server that all addresses of a machine reach is at the loopback address if there is no other", () => {
    expect(readConfig({ HOST: "0.0.0.0" }, () => null).url).toBe("http://127.0.0.1:3000");
    expect(readConfig({ HOST: "0.0.0.0" }, () => "2001:db8::7").url).toBe("http://[2001:db8::7]:3000");
  });

  test("webhooks can reach the private networks that are listed, and only listed proxies are trusted", () => {
    const proxies = { COUNTERSIGN_TRUSTED_PROXIES: "10.0.0.0/8, ::1" };
    const targets = { COUNTERSIGN_WEBHOOK_ALLOW: "10.1.0.0/16" };
    const { webhookTargets, trustedProxies } = readConfig({ ...proxies, ...targets });
    const mayCall = (ip: string) => mayBeCalled({ host: "x.example.com", port: 443 }, ip, webhookTargets);
    expect(["10.1.2.3", "10.2.2.3"].map(mayCall)).toEqual([true, false]);
    expect(trustedProxies.size).toBe(2);
  });
});

describe("invalid values", () => {
  const port = "a whole number from 0 to 65535";
  const webUrl = "https://license.example.com";
  const postgresUrl = "postgres://user:password@host:5432/database";
  const rows: [name: string, shouldBe: string, ...values: string[]][] = [
    ["PORT", port, "http", "65536", "-1", "80.5", " ", " 80", "0x50", "99999999999999999999"],
    ["HOST", "0.0.0.0", "256.1.1.1", "1.2.3", "2130706433", "127.0.0.1:3000", "http://127.0.0.1", "*", "a b"],
    ["COUNTERSIGN_URL", webUrl, "license.example.com", "ftp://license.example.com", "javascript:alert(1)"],
    ["COUNTERSIGN_URL", "that people open", "http://0.0.0.0:3000", "http://[::]:3000"],
    ["DATABASE_URL", postgresUrl, "mysql://user:secret@host/db", "user:secret@host", "http://user@host"],
    ["COUNTERSIGN_TRUSTED_PROXIES", "addresses or CIDRs", "true", "1", "10.0.0.0/8, proxy.local"],
    ["COUNTERSIGN_WEBHOOK_ALLOW", "10.1.0.0/16, hooks.internal", "10.0.0.0/33", "http://hooks.internal"],
    ["COUNTERSIGN_DEFAULT_PLAN", "free, pro, enterprise", "Pro"],
    ["COUNTERSIGN_SIGN_UP", "closed, open", "yes"],
    ["COUNTERSIGN_DISCORD_URL", "https://discord.com", "discord"],
    ["COUNTERSIGN_STRIPE_URL", "https://api.stripe.com", "stripe"],
    ["COUNTERSIGN_STRIPE_URL", "without a path", "https://proxy.example.com/stripe"],
    ["COUNTERSIGN_DURABILITY", "standard, strict", "maximum"],
    ["COUNTERSIGN_ENCRYPTION_KEY", "at least 16 characters", "fifteen letters"],
    ["COUNTERSIGN_LOG_LEVEL", "debug, info, warn, error", "verbose"],
    ["COUNTERSIGN_LOG_FORMAT", "auto, json, pretty", "text"],
    ["COUNTERSIGN_REQUEST_LOG_MB", "a whole number from 10 to 10000000", "9"],
    ["COUNTERSIGN_REQUEST_LOG_DAYS", "a whole number from 1 to 3650", "0", "forever"],
    ["COUNTERSIGN_WEBHOOK_ENDPOINTS", "a whole number from 1 to 1000", "0"],
    ["COUNTERSIGN_DRAIN_SECONDS", "a whole number from 0 to 300", "301", "-1"],
    ["COUNTERSIGN_METRICS_TOKEN", "16 to 512", "fifteen-letters"],
    ["COUNTERSIGN_METRICS_TOKEN", "without spaces", "a token that has spaces"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "must be a URL", "127.0.0.1:4318"],
  ];
  test.each(rows)("an invalid %s stops the start with %j in the message", (name, shouldBe, ...values) => {
    for (const value of values) {
      const message = problemOf({ [name]: value });
      expect([value, message]).toEqual([value, expect.stringContaining(shouldBe)]);
      expect(message).toStartWith(name);
    }
  });

  test.each([
    ["COUNTERSIGN_SIGNUP", "COUNTERSIGN_SIGN_UP"],
    ["COUNTERSIGN_TRUSTED_PROXY", "COUNTERSIGN_TRUSTED_PROXIES"],
    ["COUNTERSIGN_ENCRYTPION_KEY_FILE", "COUNTERSIGN_ENCRYPTION_KEY_FILE"],
    ["COUNTERSIGN_REQUEST_LOG_DAY", "COUNTERSIGN_REQUEST_LOG_DAYS"],
  ])("%s, which is hardly %s, stops the start", (written, meant) => {
    expect(problemOf({ [written]: "x" })).toBe(`${written} is not a setting. Did you mean ${meant}?`);
    expect(readConfig({ [written]: "" }).unknownNames).toEqual([]);
  });

  test("names that only look like settings do not stop the start, and are known", () => {
    // The examples of the documentation set the first three, Kubernetes the next for a service with this name, and the
    // tests have their own.
    const others = [
      "COUNTERSIGN_API_KEY",
      "COUNTERSIGN_TOKEN",
      "COUNTERSIGN_WEBHOOK_SECRET",
      "COUNTERSIGN_PORT_3000_TCP",
      "COUNTERSIGN_PORT",
    ];
    const environment = Object.fromEntries(
      [...others, "COUNTERSIGN_TEST_ALL", "COUNTERSIGN"].map((name) => [name, "x"]),
    );
    expect(readConfig(environment).unknownNames).toEqual(others.slice(3));
  });

  test.each([
    ["a Discord client ID without its secret", { COUNTERSIGN_DISCORD_CLIENT_ID: "1" }, "CLIENT_SECRET"],
    ["a key of Stripe without the secret of its webhook", stripe("sk_test_1", ""), "WEBHOOK_SECRET"],
    ["the secret of Stripe's webhook without a key", stripe(""), "WEBHOOK_SECRET"],
  ])("%s stops the start", (_, environment, named) => {
    expect(problemOf(environment)).toContain(`${named} together, or neither`);
  });

  test.each([
    [{ DATABASE_URL: "mysql://user:hunter2@host/db" }, "DATABASE_URL"],
    [{ COUNTERSIGN_ENCRYPTION_KEY: "hunter2" }, "COUNTERSIGN_ENCRYPTION_KEY"],
    [stripe("pk_test_hunter2"), "COUNTERSIGN_STRIPE_SECRET_KEY"],
    [stripe("sk_test_1", "hunter2"), "COUNTERSIGN_STRIPE_WEBHOOK_SECRET"],
  ])("the value in %j is not repeated, because it may contain a secret", (environment, named) => {
    expect(problemOf(environment)).toContain(named);
    for (const secret of ["hunter2", "whsec_12345678", "sk_test_1"])
      expect(problemOf(environment)).not.toContain(secret);
  });
});

describe("settings in files", () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-config-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (text: string) => {
    const path = join(folder, `setting-${Math.random()}`);
    writeFileSync(path, text);
    return path;
  };

  test("every setting can be read from a file, without the line break at its end", () => {
    const key = { COUNTERSIGN_ENCRYPTION_KEY_FILE: file("a passphrase from a file\n") };
    const environment = { ...key, PORT_FILE: file("8081\n") };
    expect(readConfig(environment)).toMatchObject({ encryptionKey: "a passphrase from a file", port: 8081 });
  });

  test("a file stops the start if it is missing or empty, or if its setting has a value, too", () => {
    const both = { DATABASE_URL: "postgres://h/d", DATABASE_URL_FILE: file("postgres://h/e") };
    expect(problemOf(both)).toBe("Set DATABASE_URL or DATABASE_URL_FILE, not both.");
    const path = join(folder, "missing");
    const unreadable = `DATABASE_URL_FILE points to ${path}, which cannot be read.`;
    expect(problemOf({ DATABASE_URL_FILE: path })).toBe(unreadable);
    // An empty file does not turn encryption off.
    const empty = { COUNTERSIGN_ENCRYPTION_KEY_FILE: file("\n") };
    expect(problemOf(empty)).toContain("COUNTERSIGN_ENCRYPTION_KEY");
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

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseTrustedProxies } from "@countersign/domain/ip/caller";
import { CidrSet } from "@countersign/domain/ip/cidr";
import { parseIpAddress } from "@countersign/domain/ip/ip-address";
import { type Language, languageOfLocale } from "@countersign/domain/mail/languages";
import { type Plan, plans } from "@countersign/domain/quota/limit";
import {
  readTraceSettings,
  TraceSettingProblem,
  type TraceSettings,
} from "@countersign/domain/traces/settings";
import {
  type AllowedTargets,
  noAllowedTargets,
  parseAllowedTargets,
} from "@countersign/domain/webhooks/targets";
import type { DatabaseLocation } from "@countersign/store/databases/open";
import { StoreProblem } from "@countersign/store/errors/problem";
import { parsePostgresUrl } from "@countersign/store/postgres/url";
import { type LogLevel, logLevels } from "./log.ts";
import { OperatorProblem } from "./operator-problem.ts";
import { ownIp } from "./own-ip.ts";
import { similarName } from "./similar-name.ts";

/** Every setting, read once. Nothing else in the program reads the environment. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly url: string;
  /** Whether COUNTERSIGN_URL is set. Otherwise `url` is where the server is likely to be reached. */
  readonly urlIsSet: boolean;
  /** Where customers reach the portal. */
  readonly portalUrl: string;
  /** Whether the portal has its own host. */
  readonly portalHasOwnHost: boolean;
  readonly database: DatabaseLocation;
  readonly dataFolder: string;
  readonly trustedProxies: CidrSet;
  /** The plan of new organizations; null if the platform admin decides. */
  readonly defaultPlan: Plan | null;
  /** Who can create an account: only people who are invited or added, or anyone; null if the platform admin decides. */
  readonly signUp: "closed" | "open" | null;
  /** Taking payments with Stripe; null if it is not set up. */
  readonly stripe: StripeSettings | null;
  /** Signing in with Discord; null if it is not set up. */
  readonly discord: DiscordSettings | null;
  /** How emails are sent; null if they are stored for the platform admin to read. */
  readonly mail: MailSettings | null;
  /** The maximum number of emails a day to the customers of one organization; null if the platform admin decides. */
  readonly dailyEmails: number | null;
  /** The default language of emails for an account created on the command line. */
  readonly language: Language;
  readonly durability: "standard" | "strict";
  readonly encryptionKey: string | null;
  readonly logLevel: LogLevel;
  readonly logFormat: "json" | "pretty" | "auto";
  /** How long requests are kept in the log; null if the platform admin decides. */
  readonly requestLogDays: number | null;
  /** How many megabytes the log can take on disk; null if the platform admin decides. */
  readonly requestLogMegabytes: number | null;
  /** What happens to old entries of the audit log before they are deleted; null if they are not deleted. */
  readonly auditLogArchive: AuditLogArchive | null;
  /** A GeoIP file (MMDB) with the countries, or also the places, of IP addresses; null for none. */
  readonly geoipFile: string | null;
  /** Private targets that webhooks can reach. */
  readonly webhookTargets: AllowedTargets;
  /** The maximum number of webhooks per organization; null if the platform admin decides. */
  readonly webhookEndpoints: number | null;
  /** The bearer token that `/metrics` requires; null if anyone can read it. */
  readonly metricsToken: string | null;
  /** How long the server keeps serving after SIGTERM, while `/readyz` is 503. */
  readonly drainSeconds: number;
  /** Where traces are sent; null if they are not. */
  readonly traces: TraceSettings | null;
  /** Variables that look like settings and are none. */
  readonly unknownNames: readonly string[];
}

/** The folder that old entries are written to, or `none` to delete them without an archive. */
export type AuditLogArchive = { readonly folder: string } | "none";

export interface StripeSettings {
  readonly secretKey: string;
  /** Verifies events. */
  readonly webhookSecret: string;
  /** The base URL of Stripe's API: a different one in tests. */
  readonly url: string;
  readonly mode: "test" | "live";
}

export interface DiscordSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The base URL of Discord: a different one in tests, or for a compatible service. */
  readonly url: string;
}

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** `direct` from the first byte on; otherwise through STARTTLS, which is required, used if offered, or not used. */
  readonly tls: "direct" | "required" | "offered" | "off";
  readonly checksCertificate: boolean;
  readonly user: string | null;
  readonly password: string | null;
  readonly from: string;
}

/** An invalid setting. The message names it and says what it must be. */
export class ConfigProblem extends OperatorProblem {
  override readonly name = "ConfigProblem";
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(environment: Environment, machineIp: () => string | null = ownIp): Config {
  const names = new Set<string>();
  const setting = (name: string) => {
    names.add(name);
    return secretOrSetting(environment, name);
  };
  const ifSet = <T>(name: string, parse: (text: string) => T): T | null => {
    const text = setting(name);
    return text === null ? null : parse(text);
  };
  const numberIfSet = (name: string, min: number, max: number) =>
    ifSet(name, (text) => wholeNumber(name, text, min, max));
  const port = wholeNumber("PORT", setting("PORT") ?? "3000", 0, 65_535);
  const host = ifSet("HOST", listenHost) ?? "127.0.0.1";
  const dataFolder = resolve(setting("COUNTERSIGN_DATA") ?? "data");
  const setUrl = ifSet("COUNTERSIGN_URL", publicUrl);
  const url = setUrl ?? likelyUrl(host, port, machineIp);
  const portalHost = portalOrigin(setting("COUNTERSIGN_PORTAL_URL"), url);
  return {
    port,
    host,
    url,
    urlIsSet: setUrl !== null,
    portalUrl: portalHost ?? `${url}/portal`,
    portalHasOwnHost: portalHost !== null,
    dataFolder,
    database: databaseLocation(setting("DATABASE_URL"), dataFolder),
    trustedProxies: trustedProxies(setting("COUNTERSIGN_TRUSTED_PROXIES")),
    defaultPlan: ifSet("COUNTERSIGN_DEFAULT_PLAN", (text) => oneOf("COUNTERSIGN_DEFAULT_PLAN", text, plans)),
    signUp: ifSet("COUNTERSIGN_SIGN_UP", (text) => oneOf("COUNTERSIGN_SIGN_UP", text, ["closed", "open"])),
    stripe: stripe(setting),
    discord: discord(setting),
    mail: mail(setting("COUNTERSIGN_SMTP_URL"), setting("COUNTERSIGN_MAIL_FROM")),
    dailyEmails: numberIfSet("COUNTERSIGN_DAILY_EMAILS", 0, 10_000_000),
    // As in POSIX: the first of these that is set.
    language: languageOfLocale(setting("LC_ALL") ?? setting("LC_MESSAGES") ?? setting("LANG")),
    durability: oneOf("COUNTERSIGN_DURABILITY", setting("COUNTERSIGN_DURABILITY") ?? "standard", [
      "standard",
      "strict",
    ]),
    encryptionKey: encryptionKey(setting("COUNTERSIGN_ENCRYPTION_KEY")),
    logLevel: oneOf("COUNTERSIGN_LOG_LEVEL", setting("COUNTERSIGN_LOG_LEVEL") ?? "info", logLevels),
    logFormat: oneOf("COUNTERSIGN_LOG_FORMAT", setting("COUNTERSIGN_LOG_FORMAT") ?? "auto", [
      "auto",
      "json",
      "pretty",
    ]),
    requestLogDays: numberIfSet("COUNTERSIGN_REQUEST_LOG_DAYS", 1, 3650),
    requestLogMegabytes: numberIfSet("COUNTERSIGN_REQUEST_LOG_MB", 10, 10_000_000),
    // Whether the folder can be written is checked when entries are archived: validations do not depend on it.
    auditLogArchive: ifSet("COUNTERSIGN_AUDIT_LOG_ARCHIVE", (text) =>
      text === "none" ? text : { folder: resolve(text) },
    ),
    // It is only for analytics: one that cannot be read is logged, and never keeps the server from starting.
    geoipFile: ifSet("COUNTERSIGN_GEOIP_FILE", (path) => resolve(path)),
    webhookTargets: webhookTargets(setting("COUNTERSIGN_WEBHOOK_ALLOW")),
    webhookEndpoints: numberIfSet("COUNTERSIGN_WEBHOOK_ENDPOINTS", 1, 1000),
    metricsToken: metricsToken(setting("COUNTERSIGN_METRICS_TOKEN")),
    drainSeconds: wholeNumber(
      "COUNTERSIGN_DRAIN_SECONDS",
      setting("COUNTERSIGN_DRAIN_SECONDS") ?? "0",
      0,
      300,
    ),
    traces: traces(setting),
    // Last: by now, every setting was read.
    unknownNames: unknownNames(environment, names),
  };
}

const prefix = "COUNTERSIGN_";

/** What other programs call so: the SDKs, the command line, scripts and tests, in the same environment. */
const namesOfOthers = /^COUNTERSIGN_(?:API_KEY|TOKEN|DEVICE_ID|SIGNING_SECRETS|BUN|TEST_\w+)$/;

/** A mistyped setting stops the start. Other names may have another meaning: Kubernetes sets some for each service. */
function unknownNames(environment: Environment, names: ReadonlySet<string>): string[] {
  const unknown = Object.keys(environment).filter((name) => {
    const isSet = name.startsWith(prefix) && environment[name] !== "";
    return isSet && !names.has(name.replace(/_FILE$/, "")) && !names.has(name) && !namesOfOthers.test(name);
  });
  const own = [...names].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  for (const name of unknown) {
    const [, written = "", file = ""] = /^COUNTERSIGN_(.*?)(_FILE)?$/.exec(name) ?? [];
    const meant = similarName(written, own);
    if (meant !== null)
      throw new ConfigProblem(`${name} is not a setting. Did you mean ${prefix}${meant}${file}?`);
  }
  return unknown;
}

/** An IP address without brackets, or a host name. */
function listenHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, "$1");
  // What ends with a number is read as an IPv4 address, in several spellings.
  const isName =
    /^(?!.*(?:^|\.)(?:\d+|0x[\da-f]*)$)[a-z\d](?:[\w-]*[a-z\d])?(?:\.[a-z\d](?:[\w-]*[a-z\d])?)*$/i;
  if (parseIpAddress(host) !== null || (host.length < 254 && isName.test(host))) return host;
  throw new ConfigProblem(
    `HOST is "${text}". It should be an IP address of this machine, such as 127.0.0.1, or a host name, or 0.0.0.0 to accept connections from other machines.`,
  );
}

/** A setting by its name, or the contents of the file that `<NAME>_FILE` points to. Empty counts as not set. */
function secretOrSetting(environment: Environment, name: string): string | null {
  const direct = environment[name];
  const file = environment[`${name}_FILE`];
  if (direct !== undefined && direct !== "") {
    if (file !== undefined && file !== "") throw new ConfigProblem(`Set ${name} or ${name}_FILE, not both.`);
    return direct;
  }
  if (file === undefined || file === "") return null;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw new ConfigProblem(`${name}_FILE points to ${file}, which cannot be read.`, { cause });
  }
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ConfigProblem(`${name} is "${text}". It should be a whole number from ${min} to ${max}.`);
}

function oneOf<T extends string>(name: string, text: string, values: readonly T[]): T {
  const value = values.find((candidate) => candidate === text);
  if (value !== undefined) return value;
  throw new ConfigProblem(`${name} is "${text}". It should be one of: ${values.join(", ")}.`);
}

function publicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isWeb = url !== null && (url.protocol === "http:" || url.protocol === "https:");
  if (isWeb && !isEveryAddress(url.hostname)) return text.replace(/\/+$/, "");
  throw new ConfigProblem(
    `COUNTERSIGN_URL is "${text}". It must be the URL that people open, such as https://license.example.com.`,
  );
}

/** Without COUNTERSIGN_URL: a server that listens on every address is opened at one of them. */
function likelyUrl(host: string, port: number, machineIp: () => string | null): string {
  const name = isEveryAddress(host) ? (machineIp() ?? "127.0.0.1") : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function isEveryAddress(host: string): boolean {
  return host === "0.0.0.0" || host === "::" || host === "[::]";
}

/** The portal's own host; null if it is below the main URL. */
function portalOrigin(text: string | null, mainUrl: string): string | null {
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (url === null || !isOrigin)
    throw new ConfigProblem(
      `COUNTERSIGN_PORTAL_URL is "${text}". It must be a URL without a path, such as https://portal.example.com.`,
    );
  if (url.host === new URL(mainUrl).host)
    throw new ConfigProblem(
      `COUNTERSIGN_PORTAL_URL is "${text}", which has the host of COUNTERSIGN_URL. Leave it out to serve the portal at /portal, or use another host.`,
    );
  return url.origin;
}

/** Secrets are not repeated in messages. */
function stripe(setting: (name: string) => string | null): StripeSettings | null {
  const secretKey = setting("COUNTERSIGN_STRIPE_SECRET_KEY");
  const webhookSecret = setting("COUNTERSIGN_STRIPE_WEBHOOK_SECRET");
  const url = setting("COUNTERSIGN_STRIPE_URL") ?? "https://api.stripe.com";
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || `${parsed.origin}/` !== parsed.href)
    throw new ConfigProblem(
      `COUNTERSIGN_STRIPE_URL is "${url}". It must be a URL without a path, such as https://api.stripe.com.`,
    );
  if (secretKey === null && webhookSecret === null) return null;
  if (secretKey === null || webhookSecret === null)
    throw new ConfigProblem(
      "Set COUNTERSIGN_STRIPE_SECRET_KEY and COUNTERSIGN_STRIPE_WEBHOOK_SECRET together, or neither.",
    );
  const mode = /^(?:sk|rk)_(test|live)_[!-~]+$/.exec(secretKey)?.[1];
  if (mode !== "test" && mode !== "live")
    throw new ConfigProblem(
      "COUNTERSIGN_STRIPE_SECRET_KEY is not a secret key of Stripe. It must start with sk_live_ or sk_test_, or rk_ for a restricted key.",
    );
  if (!/^[!-~]{8,}$/.test(webhookSecret))
    throw new ConfigProblem(
      "COUNTERSIGN_STRIPE_WEBHOOK_SECRET is not the signing secret of a webhook endpoint in Stripe, which looks like whsec_…",
    );
  return { secretKey, webhookSecret, url: parsed.origin, mode };
}

function discord(setting: (name: string) => string | null): DiscordSettings | null {
  const clientId = setting("COUNTERSIGN_DISCORD_CLIENT_ID");
  const clientSecret = setting("COUNTERSIGN_DISCORD_CLIENT_SECRET");
  const url = setting("COUNTERSIGN_DISCORD_URL") ?? "https://discord.com";
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new ConfigProblem(
      `COUNTERSIGN_DISCORD_URL is "${url}". It must be a URL, such as https://discord.com.`,
    );
  }
  if (clientId === null && clientSecret === null) return null;
  if (clientId === null || clientSecret === null) {
    throw new ConfigProblem(
      "Set COUNTERSIGN_DISCORD_CLIENT_ID and COUNTERSIGN_DISCORD_CLIENT_SECRET together, or neither.",
    );
  }
  return { clientId, clientSecret, url: url.replace(/\/+$/, "") };
}

function mail(smtpUrl: string | null, from: string | null): MailSettings | null {
  if (from !== null && !/^(?:[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(from)) {
    throw new ConfigProblem(
      `COUNTERSIGN_MAIL_FROM is "${from}". It must be an email address, such as Countersign <license@example.com>.`,
    );
  }
  if (smtpUrl === null) return null;
  const url = URL.canParse(smtpUrl) ? new URL(smtpUrl) : null;
  const isDirect = url?.protocol === "smtps:";
  const tls = url?.searchParams.get("tls") ?? null;
  // The value can contain a password, so it is not repeated.
  if (url === null || (!isDirect && url.protocol !== "smtp:") || url.hostname === "") {
    throw new ConfigProblem(
      "COUNTERSIGN_SMTP_URL is not the URL of a mail server. It must look like smtp://user:password@host:587, or smtps://user:password@host:465.",
    );
  }
  if (tls !== null && !["required", "unverified", "off"].includes(tls)) {
    throw new ConfigProblem(
      `COUNTERSIGN_SMTP_URL has tls=${tls}. It must be required, unverified or off, or omitted.`,
    );
  }
  if (from === null) {
    throw new ConfigProblem(
      "COUNTERSIGN_MAIL_FROM is missing. With COUNTERSIGN_SMTP_URL it must be the sender of emails, such as Countersign <license@example.com>.",
    );
  }
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  // A password is not sent unencrypted unless explicitly allowed.
  const isNeeded = tls === "required" || (tls !== "off" && url.password !== "" && !isHere);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (isDirect ? 465 : 587) : Number(url.port),
    tls: isDirect ? "direct" : tls === "off" ? "off" : isNeeded ? "required" : "offered",
    checksCertificate: tls !== "unverified",
    user: url.username === "" ? null : decodeURIComponent(url.username),
    password: url.password === "" ? null : decodeURIComponent(url.password),
    from,
  };
}

function databaseLocation(text: string | null, folder: string): DatabaseLocation {
  if (text === null) return { kind: "sqlite", folder };
  try {
    parsePostgresUrl(text);
  } catch (cause) {
    if (cause instanceof StoreProblem) throw new ConfigProblem(cause.message, { cause });
    throw cause;
  }
  return { kind: "postgres", url: text };
}

function trustedProxies(text: string | null): CidrSet {
  if (text === null) return CidrSet.empty;
  const parsed = parseTrustedProxies(text);
  if (parsed.ok) return parsed.proxies;
  throw new ConfigProblem(`COUNTERSIGN_TRUSTED_PROXIES is invalid. ${parsed.problem}`);
}

function webhookTargets(text: string | null): AllowedTargets {
  if (text === null) return noAllowedTargets;
  const parsed = parseAllowedTargets(text);
  if (parsed.ok) return parsed.allowed;
  throw new ConfigProblem(`COUNTERSIGN_WEBHOOK_ALLOW is invalid. ${parsed.problem}`);
}

function encryptionKey(text: string | null): string | null {
  if (text === null || text.length >= 16) return text;
  throw new ConfigProblem(
    "COUNTERSIGN_ENCRYPTION_KEY is too short. It must have at least 16 characters, preferably 32 random ones.",
  );
}

function metricsToken(text: string | null): string | null {
  if (text === null || /^[\x21-\x7e]{16,512}$/.test(text)) return text;
  // It is a secret, so it is not repeated.
  throw new ConfigProblem(
    "COUNTERSIGN_METRICS_TOKEN is invalid. It must be 16 to 512 letters, digits and symbols without spaces, such as the output of openssl rand -hex 24.",
  );
}

function traces(setting: (name: string) => string | null): TraceSettings | null {
  try {
    return readTraceSettings(setting);
  } catch (cause) {
    if (cause instanceof TraceSettingProblem) throw new ConfigProblem(cause.message, { cause });
    throw cause;
  }
}

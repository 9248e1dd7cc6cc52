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
import { ConfigProblem, type Environment, Settings } from "./environment.ts";
import { type LogLevel, logLevels } from "./log.ts";
import { ownIp } from "./own-ip.ts";
import {
  type DiscordSettings,
  type MailSettings,
  readDiscord,
  readMail,
  readStripe,
  type StripeSettings,
} from "./services.ts";

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

export function readConfig(environment: Environment, machineIp: () => string | null = ownIp): Config {
  const settings = new Settings(environment);
  const port = settings.wholeNumber("PORT", 0, 65_535) ?? 3000;
  const host = settings.parsed("HOST", listenHost) ?? "127.0.0.1";
  const dataFolder = resolve(settings.text("COUNTERSIGN_DATA") ?? "data");
  const setUrl = settings.parsed("COUNTERSIGN_URL", publicUrl);
  // Podman sets it, and so do systemd and our image. Nobody opens the IP address of a container.
  const isContainer = settings.text("container") !== null;
  const url = setUrl ?? likelyUrl(host, port, isContainer ? () => "localhost" : machineIp);
  const portalHost = portalOrigin(settings.text("COUNTERSIGN_PORTAL_URL"), url);
  return {
    port,
    host,
    url,
    urlIsSet: setUrl !== null,
    portalUrl: portalHost ?? `${url}/portal`,
    portalHasOwnHost: portalHost !== null,
    dataFolder,
    database: databaseLocation(settings.text("DATABASE_URL"), dataFolder),
    trustedProxies: settings.parsed("COUNTERSIGN_TRUSTED_PROXIES", trustedProxies) ?? CidrSet.empty,
    defaultPlan: settings.oneOf("COUNTERSIGN_DEFAULT_PLAN", plans),
    signUp: settings.oneOf("COUNTERSIGN_SIGN_UP", ["closed", "open"]),
    stripe: readStripe(settings),
    discord: readDiscord(settings),
    mail: readMail(settings),
    dailyEmails: settings.wholeNumber("COUNTERSIGN_DAILY_EMAILS", 0, 10_000_000),
    // As in POSIX: the first of these that is set.
    language: languageOfLocale(
      settings.text("LC_ALL") ?? settings.text("LC_MESSAGES") ?? settings.text("LANG"),
    ),
    durability: settings.oneOf("COUNTERSIGN_DURABILITY", ["standard", "strict"]) ?? "standard",
    encryptionKey: settings.parsed("COUNTERSIGN_ENCRYPTION_KEY", encryptionKey),
    logLevel: settings.oneOf("COUNTERSIGN_LOG_LEVEL", logLevels) ?? "info",
    logFormat: settings.oneOf("COUNTERSIGN_LOG_FORMAT", ["auto", "json", "pretty"]) ?? "auto",
    requestLogDays: settings.wholeNumber("COUNTERSIGN_REQUEST_LOG_DAYS", 1, 3650),
    requestLogMegabytes: settings.wholeNumber("COUNTERSIGN_REQUEST_LOG_MB", 10, 10_000_000),
    // Whether the folder can be written is checked when entries are archived: validations do not depend on it.
    auditLogArchive: settings.parsed("COUNTERSIGN_AUDIT_LOG_ARCHIVE", (text) =>
      text === "none" ? text : { folder: resolve(text) },
    ),
    // It is only for analytics: one that cannot be read is logged, and never keeps the server from starting.
    geoipFile: settings.parsed("COUNTERSIGN_GEOIP_FILE", (path) => resolve(path)),
    webhookTargets: settings.parsed("COUNTERSIGN_WEBHOOK_ALLOW", webhookTargets) ?? noAllowedTargets,
    webhookEndpoints: settings.wholeNumber("COUNTERSIGN_WEBHOOK_ENDPOINTS", 1, 1000),
    metricsToken: settings.parsed("COUNTERSIGN_METRICS_TOKEN", metricsToken),
    drainSeconds: settings.wholeNumber("COUNTERSIGN_DRAIN_SECONDS", 0, 300) ?? 0,
    traces: traces(settings),
    // Last: by now, every setting was read.
    unknownNames: settings.unknownNames(),
  };
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

function publicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isWeb = url !== null && (url.protocol === "http:" || url.protocol === "https:");
  if (isWeb && !isEveryAddress(url.hostname)) return text.replace(/\/+$/, "");
  throw new ConfigProblem(
    `COUNTERSIGN_URL is "${text}". It must be the URL that people open, such as https://license.example.com.`,
  );
}

/** Without COUNTERSIGN_URL: a server that listens on every address is opened at one of them. */
function likelyUrl(host: string, port: number, reachableName: () => string | null): string {
  const name = isEveryAddress(host) ? (reachableName() ?? "127.0.0.1") : host;
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

function trustedProxies(text: string): CidrSet {
  const parsed = parseTrustedProxies(text);
  if (parsed.ok) return parsed.proxies;
  throw new ConfigProblem(`COUNTERSIGN_TRUSTED_PROXIES is invalid. ${parsed.problem}`);
}

function webhookTargets(text: string): AllowedTargets {
  const parsed = parseAllowedTargets(text);
  if (parsed.ok) return parsed.allowed;
  throw new ConfigProblem(`COUNTERSIGN_WEBHOOK_ALLOW is invalid. ${parsed.problem}`);
}

export function encryptionKey(text: string): string {
  if (text.length >= 16) return text;
  throw new ConfigProblem(
    "COUNTERSIGN_ENCRYPTION_KEY is too short. It must have at least 16 characters, preferably 32 random ones.",
  );
}

function metricsToken(text: string): string {
  if (/^[\x21-\x7e]{16,512}$/.test(text)) return text;
  // It is a secret, so it is not repeated.
  throw new ConfigProblem(
    "COUNTERSIGN_METRICS_TOKEN is invalid. It must be 16 to 512 letters, digits and symbols without spaces, such as the output of openssl rand -hex 24.",
  );
}

function traces(settings: Settings): TraceSettings | null {
  try {
    return readTraceSettings((name) => settings.text(name));
  } catch (cause) {
    if (cause instanceof TraceSettingProblem) throw new ConfigProblem(cause.message, { cause });
    throw cause;
  }
}

import { readFile } from "node:fs/promises";
import { missingSignUpLimit } from "@countersign/domain/organizations/sign-up";
import type { PlatformFacts } from "@countersign/store/inspection";
import type { Config } from "../../base/config.ts";
import { reasonOf } from "../../base/log.ts";
import { isSameMachine } from "../../base/own-ip.ts";
import { archiveProblem } from "../audit-log/archive.ts";
import { openGeo } from "../geoip/geo-file.ts";
import { settingsFrom } from "../settings/platform-settings.ts";
import { type Check, ok, problem, warning } from "./check.ts";

/** Changes are accepted only from the server's URL, so it must be the one that people open. */
export function checkUrl({ host, url, urlIsSet }: Pick<Config, "host" | "url" | "urlIsSet">): Check {
  if (isSameMachine(host)) return ok("url", `People sign in at ${url}.`);
  if (!urlIsSet)
    return warning(
      "url",
      `HOST is ${host}, but COUNTERSIGN_URL is not set. People can sign in only at ${url}, whatever else leads here.`,
      "Set COUNTERSIGN_URL to the URL that people open, such as https://license.example.com.",
    );
  if (isSameMachine(new URL(url).hostname))
    return warning(
      "url",
      `COUNTERSIGN_URL is ${url}, so people can sign in only on this machine, although HOST is ${host}.`,
      "Set COUNTERSIGN_URL to the URL that people open, or leave HOST out.",
    );
  return ok("url", `People sign in at ${url}.`);
}

/** Without the proxy's IP address, the proxy itself counts as the caller, and IP limits see a single address. */
export function checkProxy({
  host,
  url,
  urlIsSet,
  trustedProxies,
}: Pick<Config, "host" | "url" | "urlIsSet" | "trustedProxies">): Check {
  if (trustedProxies.size > 0) {
    return ok(
      "proxy",
      "Callers behind COUNTERSIGN_TRUSTED_PROXIES are identified by their own IP addresses.",
    );
  }
  const address = new URL(url);
  const elsewhere = address.hostname !== host && !isSameMachine(address.hostname);
  const behindProxy = urlIsSet && (address.protocol === "https:" || elsewhere);
  const action =
    "Set COUNTERSIGN_TRUSTED_PROXIES to the proxy's IP address, such as 127.0.0.1 or 10.0.0.0/8. If there is no proxy, leave it as it is.";
  if (isSameMachine(host) && !behindProxy)
    return ok("proxy", "Only this machine can reach the server, so no proxy is expected.");
  const why = behindProxy
    ? `COUNTERSIGN_URL is ${url}, which looks like a reverse proxy`
    : `HOST is ${host}, so other machines can reach the server`;
  return warning(
    "proxy",
    `${why}, but COUNTERSIGN_TRUSTED_PROXIES is not set. Behind a proxy, every caller would look like the proxy, and IP limits and blocks would not work.`,
    action,
  );
}

/** Whether anyone who signs up gets an organization without a limit in total. */
export function checkSignUp({ settings, plans }: PlatformFacts, config: Config): Check[] {
  const { sign_up: signUp, default_plan: defaultPlan } = settingsFrom(settings, config).values;
  const plan = plans.find(({ id }) => id === defaultPlan);
  if (plan === undefined) return [];
  const { name, daily_limit: dailyLimit, max_products: maxProducts } = plan;
  const missing = missingSignUpLimit({ signUp, dailyLimit, maxProducts });
  if (missing === null) return [];
  const url = `${config.url}/admin/plans?edit=${defaultPlan}`;
  const message =
    missing === "daily_limit"
      ? `Anyone can sign up, and the plan of new organizations, ${name}, has no daily limit.`
      : `Anyone can sign up, and the plan of new organizations, ${name}, has no limit of products. The daily limit is one per product, so an organization has none in total.`;
  const action =
    missing === "daily_limit"
      ? `Set COUNTERSIGN_DEFAULT_PLAN to a plan with limits, or give this one a daily limit and a limit of products at ${url}.`
      : `Give it a limit of products at ${url}.`;
  return [warning("sign-up", message, action)];
}

const fix =
  "Put a complete file in MMDB format at this path, under another name first and then renamed. A running server uses it within a minute.";

/** Whether the GeoIP file can be read, and a sample of its records. */
export async function checkGeoip(path: string | null): Promise<Check[]> {
  if (path === null) return [];
  const damages: string[] = [];
  try {
    const geo = await openGeo(await readFile(path), (reason) => damages.push(reason));
    for (let part = 0; part < 4_096; part++) geo.placeOf(`${part >> 4}.${(part & 15) << 4}.0.1`);
  } catch (error) {
    return [warning("geoip", `The GeoIP file ${path} cannot be read: ${reasonOf(error)}`, fix)];
  }
  const [damage] = damages;
  if (damage === undefined) return [ok("geoip", `The GeoIP file ${path} can be read.`)];
  return [warning("geoip", `The GeoIP file ${path} is damaged. ${damage}`, fix)];
}

/** Whether old entries can be archived, if that is set. */
export async function checkAuditLogArchive({ auditLogArchive: archive }: Config): Promise<Check[]> {
  if (archive === null || archive === "none") return [];
  const message = await archiveProblem(archive.folder);
  if (message === null)
    return [ok("audit-log", `Old entries of the audit log can be archived to ${archive.folder}.`)];
  const action =
    "Create it, or make it writable. Until then, no entry is deleted, and every hour it is tried again.";
  return [problem("audit-log", message, action)];
}

/** Whether a limit has no effect because nobody has said what happens to old entries. */
export function checkAuditLogLimits({ limitsAuditLog }: PlatformFacts, { auditLogArchive }: Config): Check[] {
  if (!limitsAuditLog || auditLogArchive !== null) return [];
  return [
    warning(
      "audit-log",
      "A plan or an organization limits how long its audit log is kept, but no entry is deleted, because COUNTERSIGN_AUDIT_LOG_ARCHIVE is not set.",
      "Set it to a folder that old entries are written to before they are deleted, or to none to delete them without an archive.",
    ),
  ];
}

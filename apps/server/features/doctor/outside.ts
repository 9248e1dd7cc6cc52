import { isIP } from "node:net";
import { manageBase } from "@countersign/contract/api/bases";
import { reasonOf } from "../../base/log.ts";
import { isSameMachine } from "../../base/own-ip.ts";
import { type Check, ok, problem, warning } from "./check.ts";
import { checkCookies, checkHeaders, checkMetrics, checkPortal } from "./outside-pages.ts";
import {
  checkBodySize,
  checkCallerIp,
  checkCompression,
  checkForgedIp,
  checkStreaming,
  checkValidate,
} from "./outside-proxy.ts";
import { type OutsideResponse, requestOutside } from "./outside-request.ts";

/** What is checked: the URL that people open, and where plain HTTP is expected. */
interface OutsideTarget {
  readonly url: URL;
  readonly httpPort: number;
}

/**
 * Checks an installation as its callers reach it, over HTTP alone: through its proxies, with forged headers. It sends no
 * credentials and changes nothing. Every failure becomes a finding, never an exception.
 */
export async function examineOutside({ url, httpPort }: OutsideTarget): Promise<Check[]> {
  let first: OutsideResponse;
  try {
    first = await requestOutside(new URL("/healthz", url));
  } catch (error) {
    return [
      problem(
        "reachable",
        `${url.origin} cannot be reached from here: ${reasonOf(error)}.`,
        "Check the DNS record, the firewall, and that the proxy and the server run.",
      ),
    ];
  }
  const transport = [checkCertificate(url, first, Date.now()), ...(await checkRedirect(url, httpPort))];
  const reachable = await attempt("reachable", () => checkReachable(url, first));
  if (reachable.some(({ state }) => state === "problem")) return [...reachable, ...transport];
  return [
    ...reachable,
    ...transport,
    ...(await attempt("origin", () => checkOrigin(url))),
    ...(await attempt("caller-ip", () => checkCallerIp(url))),
    ...(await attempt("forged-ip", () => checkForgedIp(url))),
    ...(await attempt("validate", () => checkValidate(url))),
    ...(await attempt("compression", () => checkCompression(url))),
    ...(await attempt("streaming", () => checkStreaming(url))),
    ...(await attempt("body-size", () => checkBodySize(url))),
    ...(await attempt("cookies", () => checkCookies(url))),
    ...(await attempt("headers", () => checkHeaders(url))),
    ...(await attempt("portal", () => checkPortal(url))),
    checkClock(first.headers.get("date"), Date.now()),
    ...(await attempt("metrics", () => checkMetrics(url))),
  ];
}

async function attempt(name: Check["name"], look: () => Promise<Check>): Promise<Check[]> {
  try {
    return [await look()];
  } catch (error) {
    const action = "Run doctor again. If it fails again, look into the log of the proxy.";
    return [problem(name, `This could not be checked: ${reasonOf(error)}`, action)];
  }
}

async function checkReachable(url: URL, health: OutsideResponse): Promise<Check> {
  const gateway = [502, 503, 504].includes(health.status);
  if (health.status !== 200 || health.body.toString() !== "ok\n")
    return problem(
      "reachable",
      `${url.origin}/healthz answers with status ${health.status}, and not as Countersign does.`,
      gateway
        ? "The proxy does not reach Countersign. Check that the server runs, and the address and port that the proxy passes requests to."
        : "Pass every path below this URL on to Countersign, without changing the path.",
    );
  const { status } = await requestOutside(new URL("/readyz", url));
  if (status === 200) return ok("reachable", `${url.origin} is reachable and ready.`);
  return problem(
    "reachable",
    `${url.origin} is reachable, but /readyz answers with status ${status}.`,
    "The server cannot validate licenses at the moment. Run countersign doctor on its machine.",
  );
}

const dayMs = 86_400_000;
/** Renewals are tried about 30 days before the end, so one has failed by then. */
const soonDays = 14;

export function checkCertificate(
  url: URL,
  { connection: { tls } }: Pick<OutsideResponse, "connection">,
  nowMs: number,
): Check {
  if (tls === null)
    return isSameMachine(url.hostname)
      ? ok("certificate", "Requests to this machine need no TLS.")
      : problem(
          "certificate",
          `${url.origin} is not encrypted: anyone on the way can read API keys and passwords.`,
          "Put a proxy that ends TLS in front of it, as docs/operating/proxies.md describes.",
        );
  const { certificate, protocol, refusal } = tls;
  const endMs = Date.parse(certificate.valid_to);
  const end = Number.isNaN(endMs) ? "an unknown day" : new Date(endMs).toISOString().slice(0, 10);
  if (endMs < nowMs)
    return problem(
      "certificate",
      `The certificate has expired on ${end}.`,
      "Renew it, and check what renews it.",
    );
  if (refusal !== null)
    return problem(
      "certificate",
      `Browsers and SDKs refuse the certificate: ${refusal}.`,
      `Install a certificate for ${url.hostname} with its whole chain. If it is from your own authority, set NODE_EXTRA_CA_CERTS to that authority's file here.`,
    );
  if (!["TLSv1.2", "TLSv1.3"].includes(protocol))
    return problem("certificate", `The connection uses ${protocol}.`, "Allow TLS 1.2 and 1.3 in the proxy.");
  const days = Math.floor((endMs - nowMs) / dayMs);
  const message = `The certificate is valid until ${end}, and the connection uses ${protocol}.`;
  if (days >= soonDays) return ok("certificate", message);
  return warning("certificate", `${message} That is in ${days} days.`, "Check what renews it.");
}

/** Only where people could type the URL without a scheme: with another port, HTTP has no known port. */
export async function checkRedirect(url: URL, httpPort: number): Promise<Check[]> {
  const isUsual = url.protocol === "https:" && (url.port === "" || httpPort !== 80);
  if (!isUsual || isIP(url.hostname) !== 0) return [];
  const plain = new URL("/", `http://${url.hostname}:${httpPort}`);
  let response: OutsideResponse;
  try {
    response = await requestOutside(plain);
  } catch {
    return [ok("redirect", "Nothing answers over plain HTTP.")];
  }
  const { status, headers } = response;
  const location = headers.get("location") ?? "";
  if (status >= 300 && status < 400 && location.startsWith("https://"))
    return [ok("redirect", "Plain HTTP redirects to HTTPS.")];
  return [
    problem(
      "redirect",
      `Plain HTTP is answered with status ${status} instead of a redirect to HTTPS, so passwords can be sent in the clear.`,
      "Redirect every request on port 80. In nginx: return 301 https://$host$request_uri; in Traefik: an entry point with redirections. Caddy and Cloudflare (Always Use HTTPS) can do it on their own.",
    ),
  ];
}

/** The server does not believe the scheme and host of a request. It knows its URL from its settings. */
async function checkOrigin(url: URL): Promise<Check> {
  const { status, body } = await requestOutside(new URL(`${manageBase}/setup`, url));
  if (status !== 200)
    return problem(
      "origin",
      `${manageBase}/setup answers with status ${status}.`,
      "Pass every path below this URL on to Countersign, without changing the path.",
    );
  const { url: configured } = JSON.parse(body.toString()) as { readonly url: string };
  if (new URL(configured).origin === url.origin)
    return ok("origin", `The server knows that its URL is ${url.origin}.`);
  return problem(
    "origin",
    `The server takes ${configured} for its URL, so people cannot sign in at ${url.origin}, and links in emails lead elsewhere.`,
    `Set COUNTERSIGN_URL=${url.origin}, or run doctor with the URL that people open.`,
  );
}

const tolerableMs = 5_000;

/** Signatures and sessions have times in them. A proxy may have set the header, but its clock matters, too. */
export function checkClock(date: string | null, nowMs: number): Check {
  const aheadMs = Date.parse(date ?? "") - nowMs;
  if (Number.isNaN(aheadMs))
    return warning("clock", "The response has no Date header.", "Let the proxy send it.");
  if (Math.abs(aheadMs) <= tolerableMs) return ok("clock", "The server's clock and this machine's agree.");
  return warning(
    "clock",
    `The server's clock is ${Math.round(Math.abs(aheadMs) / 1_000)} seconds ${aheadMs < 0 ? "behind" : "ahead of"} this machine's.`,
    "Synchronize both with NTP. SDKs refuse signatures whose time is too far away.",
  );
}

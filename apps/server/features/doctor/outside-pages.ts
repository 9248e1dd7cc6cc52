import { manageBase, portalBase } from "@countersign/contract/api/bases";
import { authBase } from "@countersign/contract/auth/route";
import { type Check, ok, problem, warning } from "./check.ts";
import { requestOutside } from "./outside-request.ts";

const asPage = [["Accept", "text/html"]] as const;

/** Signing out without a session changes nothing, and its response has the cookie of a session with all attributes. */
export async function checkCookies(url: URL): Promise<Check> {
  const response = await requestOutside(new URL(`${authBase}/sign-out`, url), {
    method: "POST",
    headers: [
      ["Origin", url.origin],
      ["Content-Type", "application/json"],
    ],
    body: "{}",
  });
  const cookies = response.headers.getSetCookie();
  const cookie = cookies.find((one) => one.includes("session_token"));
  if (cookie === undefined)
    return problem(
      "cookies",
      `Signing out is answered with status ${response.status} and without a cookie.`,
      "Pass Set-Cookie and Origin on as they are.",
    );
  const attributes = cookie.toLowerCase().split(/;\s*/);
  const needed = ["httponly", "path=/", ...(url.protocol === "https:" ? ["secure"] : [])];
  const missing = needed.filter((attribute) => !attributes.includes(attribute));
  if (!attributes.some((attribute) => /^samesite=(?:lax|strict)$/.test(attribute))) missing.push("samesite");
  const isBound = url.protocol !== "https:" || cookie.startsWith("__Host-");
  if (missing.length === 0 && isBound)
    return ok("cookies", "Cookies of sessions are restricted to this host and hidden from scripts.");
  return problem(
    "cookies",
    missing.length > 0
      ? `The cookie of a session arrives without ${missing.join(" and ")}.`
      : "The cookie of a session is not bound to this host.",
    `Set COUNTERSIGN_URL=${url.origin}, and remove what changes cookies in the proxy, such as proxy_cookie_flags or proxy_cookie_path.`,
  );
}

/** As the server sends them, once each. */
const securityHeaders: Readonly<Record<string, RegExp>> = {
  "content-security-policy": /^default-src 'none';[^,]*frame-ancestors 'none'$/,
  "cross-origin-opener-policy": /^same-origin$/,
  "referrer-policy": /^no-referrer$/,
  "x-content-type-options": /^nosniff$/,
  "x-frame-options": /^DENY$/,
};

export async function checkHeaders(url: URL): Promise<Check> {
  const { headers } = await requestOutside(new URL("/sign-in", url), { headers: asPage });
  const changed = Object.entries(securityHeaders)
    .filter(([name, form]) => !form.test(headers.get(name) ?? ""))
    .map(([name]) => name);
  if (changed.length === 0) return ok("headers", "Pages arrive with the security headers of the server.");
  return problem(
    "headers",
    `These security headers of pages are missing, changed or doubled on the way: ${changed.join(", ")}.`,
    "Remove what sets or hides them in the proxy, such as add_header and proxy_hide_header, header, or a transform rule. The server sends them itself.",
  );
}

/** The portal's URL is where the server redirects its path, if it has a host of its own. */
export async function checkPortal(url: URL): Promise<Check> {
  const { status, headers } = await requestOutside(new URL("/portal", url), { headers: asPage });
  const location = headers.get("location");
  const hasOwnHost = status === 302 && location !== null;
  if (!hasOwnHost && status !== 200)
    return problem(
      "portal",
      `${url.origin}/portal answers with status ${status}.`,
      "Pass every path on to Countersign.",
    );
  const portal = hasOwnHost ? new URL("/", location) : new URL("/portal", url);
  const page = await requestOutside(portal, { headers: asPage }).catch((error: Error) => error);
  if (page instanceof Error || page.status !== 200)
    return problem(
      "portal",
      `The portal at ${portal.href} cannot be reached: ${page instanceof Error ? page.message : `status ${page.status}`}.`,
      `Let ${portal.host} lead to the same proxy, and pass its requests on to Countersign, or remove COUNTERSIGN_PORTAL_URL.`,
    );
  const refusal = page.connection.tls?.refusal ?? null;
  if (refusal !== null && hasOwnHost)
    return problem(
      "portal",
      `Browsers refuse the certificate of ${portal.host}: ${refusal}.`,
      `Install a certificate that is valid for ${portal.host}, too.`,
    );
  const dashboard = await requestOutside(new URL(`${manageBase}/setup`, portal));
  if (hasOwnHost && dashboard.status === 200)
    return problem(
      "portal",
      `${portal.origin} serves the dashboard instead of the portal: the Host header does not reach the server.`,
      "In nginx: proxy_set_header Host $http_host; in Caddy: remove header_up Host; in Traefik: remove passHostHeader: false.",
    );
  const options = await requestOutside(new URL(`${portalBase}/options`, portal));
  if (options.status !== 200)
    return problem(
      "portal",
      `${portal.origin}${portalBase}/options answers with status ${options.status}.`,
      "Pass every path on to Countersign.",
    );
  return ok("portal", `Customers reach the portal at ${portal.href}.`);
}

export async function checkMetrics(url: URL): Promise<Check> {
  const { status } = await requestOutside(new URL("/metrics", url));
  if (status !== 200) return ok("metrics", "/metrics is not public.");
  return warning(
    "metrics",
    `Anyone can read ${url.origin}/metrics, which shows how much this server is used.`,
    "Set COUNTERSIGN_METRICS_TOKEN, or do not pass /metrics on: in nginx location = /metrics { return 404; }, in Caddy respond /metrics 404, in Traefik !Path(`/metrics`).",
  );
}

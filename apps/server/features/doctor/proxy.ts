import type { Config } from "../../base/config.ts";
import { isSameMachine } from "../../base/own-ip.ts";
import { type Check, ok, warning } from "./check.ts";

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

import type { Config } from "../../base/config.ts";
import { isSameMachine } from "../../base/own-ip.ts";
import { type Check, ok, warning } from "./check.ts";

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

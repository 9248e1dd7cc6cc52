import { type AllowedTargets, mayBeCalled } from "./allowed-targets.ts";

type ReadTarget = { ok: true; target: Target } | { ok: false; problem: UrlProblem };

type UrlProblem =
  | "not_a_url"
  | "url_with_credentials"
  | "url_without_host"
  | "invalid_port"
  | "url_not_public";

/** The target of a webhook, parsed once, so that no code interprets the URL differently. */
export interface Target {
  readonly isSecure: boolean;
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  /** The value of the Host header. */
  readonly authority: string;
  /** Null if the host is a name, which has to be resolved. */
  readonly address: string | null;
}

/**
 * Parses the URL of an endpoint. The WHATWG parser has a single interpretation for every spelling of an IPv4 address
 * (octal, hex, one number, a trailing dot), so what is checked here is what is called.
 */
export function readTarget(text: string, allowed: AllowedTargets): ReadTarget {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return refuse("not_a_url");
  if (url.username !== "" || url.password !== "") return refuse("url_with_credentials");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (host === "") return refuse("url_without_host");
  const isSecure = url.protocol === "https:";
  const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
  if (port === 0) return refuse("invalid_port");
  const isAddress = host.includes(":") || /^[0-9.]+$/.test(host);
  if (isAddress && !mayBeCalled({ host, port }, host, allowed)) return refuse("url_not_public");
  return {
    ok: true,
    target: {
      isSecure,
      host,
      port,
      path: `${url.pathname}${url.search}`,
      authority: url.host,
      address: isAddress ? host : null,
    },
  };
}

function refuse(problem: UrlProblem): ReadTarget {
  return { ok: false, problem };
}

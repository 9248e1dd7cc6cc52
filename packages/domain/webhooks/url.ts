import { type AllowedTargets, mayBeCalled } from "./addresses.ts";

export type ReadTarget = { ok: true; target: Target } | { ok: false; problem: string };

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
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    return refuse("url should be an address that starts with https:// or http://.");
  if (url.username !== "" || url.password !== "")
    return refuse("url should be without a user name and password. Use a header of your own instead.");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (host === "") return refuse("url should name a host.");
  const isSecure = url.protocol === "https:";
  const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
  if (port === 0) return refuse("url should have a port from 1 to 65535, or none.");
  const isAddress = host.includes(":") || /^[0-9.]+$/.test(host);
  if (isAddress && !mayBeCalled({ host, port }, host, allowed))
    return refuse("url should lead to a public address. The operator can allow private ones.");
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

function refuse(problem: string): ReadTarget {
  return { ok: false, problem };
}

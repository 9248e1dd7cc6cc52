import { type AllowedTargets, mayBeCalled } from "./addresses.ts";

export type ReadTarget = { ok: true; target: Target } | { ok: false; problem: string };

/** Where a webhook goes, taken apart once, so that nobody reads the address in another way. */
export interface Target {
  readonly isSecure: boolean;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  /** The value of the Host header. */
  readonly authority: string;
  /** Null where the host is a name, which has to be looked up. */
  readonly address: string | null;
}

/**
 * Reads the address of an endpoint. The WHATWG parser has one answer to each way to write an IPv4 address (octal, hex,
 * one number, a dot at the end), so what is judged here is what is called.
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

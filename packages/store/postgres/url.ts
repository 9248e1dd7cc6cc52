import { StoreProblem } from "../errors/problem.ts";

/** Which of several hosts to use, in libpq's terms. Countersign always writes, so standbys are never suitable. */
type TargetSession = "any" | "read-write" | "primary";

export interface PostgresHost {
  /** A name, an IP address or the directory of a Unix socket. */
  readonly host: string;
  /** Null for the default port. */
  readonly port: number | null;
}

/** The parsed DATABASE_URL. */
export interface PostgresUrl {
  /** The URL with only the first host, which the driver can parse. */
  readonly url: string;
  readonly hosts: readonly PostgresHost[];
  readonly target: TargetSession;
}

const maxHosts = 16;

/**
 * Parses a URL as libpq does: several hosts, each with its port, and `target_session_attrs`. With several hosts the
 * default is `read-write`, where libpq has `any`: a read-only host is of no use to Countersign.
 */
export function parsePostgresUrl(text: string): PostgresUrl {
  const parts = /^(postgres(?:ql)?:)\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?$/.exec(text);
  if (parts === null) throw wrong("It should look like postgres://user:password@host:5432/database.");
  const [, protocol = "", authority = "", path = "", search = ""] = parts;
  const at = authority.lastIndexOf("@");
  const credentials = authority.slice(0, at + 1);
  const query = new URLSearchParams(search);
  const hosts = readHosts(authority.slice(at + 1), query.get("host"), query.get("port"));
  const target = readTarget(query.get("target_session_attrs"), hosts.length);
  const isPlain = hosts.length === 1 && !query.has("target_session_attrs");
  const url = isPlain ? text : singleHostUrl(`${protocol}//${credentials}`, path, query, hosts[0]);
  if (!URL.canParse(url.replace("@/", "@socket/")))
    throw wrong("It should look like postgres://user:password@host:5432/database.");
  return { url, hosts, target };
}

function readHosts(
  authority: string,
  hostList: string | null,
  portList: string | null,
): readonly PostgresHost[] {
  const named = hostList === null ? authority.split(",").map(splitPort) : hostList.split(",").map(bareHost);
  if (named.length > maxHosts) throw wrong(`It names ${named.length} hosts; ${maxHosts} are the most.`);
  if (named.length > 1 && named.some(({ host }) => host === ""))
    throw wrong("One of its hosts is empty. Separate hosts by a single comma.");
  if (portList === null) return named;
  const ports = portList.split(",").map(readPort);
  if (ports.length !== 1 && ports.length !== named.length)
    throw wrong(`It names ${named.length} hosts and ${ports.length} ports. Name one port, or one for each.`);
  return named.map(({ host }, index) => ({ host, port: ports[ports.length === 1 ? 0 : index] ?? null }));
}

function bareHost(host: string): PostgresHost {
  return { host, port: null };
}

function splitPort(text: string): PostgresHost {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(text);
  if (parts === null) throw wrong(notHost);
  const [, host = "", port = ""] = parts;
  return { host: decoded(host.replace(/^\[(.*)\]$/, "$1")), port: readPort(port) };
}

function decoded(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    throw wrong(notHost);
  }
}

function readPort(text: string): number | null {
  if (text === "") return null;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw wrong("One of its ports is not a number from 1 to 65535.");
  return port;
}

function readTarget(text: string | null, hosts: number): TargetSession {
  switch (text) {
    case null:
      return hosts > 1 ? "read-write" : "any";
    case "any":
    case "read-write":
    case "primary":
      return text;
    default:
      throw wrong(
        `target_session_attrs is "${text}". Countersign writes with every validation, so it should be read-write, primary or any.`,
      );
  }
}

function singleHostUrl(
  start: string,
  path: string,
  query: URLSearchParams,
  first: PostgresHost | undefined,
): string {
  const rest = new URLSearchParams(query);
  for (const name of ["host", "port", "target_session_attrs"]) rest.delete(name);
  const { host = "", port = null } = first ?? {};
  const isSocket = host.startsWith("/");
  if (isSocket) rest.set("host", host);
  if (isSocket && port !== null) rest.set("port", String(port));
  const authority = isSocket
    ? ""
    : `${host.includes(":") ? `[${host}]` : host}${port === null ? "" : `:${port}`}`;
  const search = rest.toString();
  return `${start}${authority}${path}${search === "" ? "" : `?${search}`}`;
}

const notHost =
  "One of its hosts is not a name or IP address with an optional port. Percent-encode special characters in the password.";

/** The value can contain a password, so no part of it is repeated. */
function wrong(why: string): StoreProblem {
  return new StoreProblem(`DATABASE_URL is not a PostgreSQL URL that Countersign can use. ${why}`);
}

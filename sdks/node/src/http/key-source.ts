/** A request of any framework: headers as an object with lower-case names, or as `Headers`. */
export interface AnyRequest {
  readonly headers: HeaderValues | WebHeaders;
  readonly url?: string | undefined;
  /** The parsed query string, where the framework parses it. */
  readonly query?: unknown;
  /** The parsed body, where the framework parses it. */
  readonly body?: unknown;
  /** The caller's IP address, where the framework finds it. */
  readonly ip?: string | undefined;
}

export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The part of the standard `Headers` that is used here. */
export interface WebHeaders {
  get(name: string): string | null;
}

/** Where to find the license key of a request. */
export type KeySource<Request> =
  | { readonly header: string }
  | { readonly query: string }
  | { readonly body: string }
  | ((request: Request) => string | null | undefined | Promise<string | null | undefined>);

/**
 * Null if there is none. Several parameters count as none. Several headers are one with all values, as HTTP defines and
 * servers hand them over: no license has it.
 */
export async function keyOf<Request extends AnyRequest>(
  request: Request,
  source: KeySource<Request> = { header: "x-license-key" },
): Promise<string | null> {
  const value = typeof source === "function" ? await source(request) : valueFrom(request, source);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function valueFrom(
  request: AnyRequest,
  source: Exclude<KeySource<never>, (...args: never[]) => unknown>,
): unknown {
  if ("header" in source) return headerOf(request, source.header);
  if ("query" in source) return queryValue(request, source.query);
  return member(request.body, source.body);
}

function headerOf({ headers }: AnyRequest, name: string): unknown {
  return isWebHeaders(headers) ? headers.get(name) : headers[name.toLowerCase()];
}

function queryValue({ query, url }: AnyRequest, name: string): unknown {
  if (query !== undefined || url === undefined) return member(query, name);
  // A path without a host is a URL as well.
  const values = new URL(url, "http://localhost").searchParams.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

function isWebHeaders(headers: AnyRequest["headers"]): headers is WebHeaders {
  return typeof headers.get === "function";
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

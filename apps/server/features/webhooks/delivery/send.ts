import { Agent, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure, Agent as SecureAgent } from "node:https";
import { type Failure, failure } from "@countersign/contract/problems/failures";
import { fieldErrorBody, fieldFault } from "@countersign/contract/problems/problems";
import { type AllowedTargets, readTarget, type Target } from "@countersign/domain/webhooks/targets";

import { cachingResolver, checkedIps, type Resolver, systemResolver, Unreachable } from "./addresses.ts";

/** An outgoing request. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result. `status` is null if there was no response, and `failure` says why. */
export interface Answer {
  readonly status: number | null;
  /** The first 4 KB. */
  readonly body: string | null;
  readonly failure: Failure | null;
}

export interface SendOptions {
  readonly allowed: AllowedTargets;
  readonly resolve: Resolver;
  readonly timeoutMs: number;
  /** Without them, every request has its own connection. */
  readonly connections?: ConnectionCache;
  /** For receivers with a certificate from a private authority. */
  readonly ca?: string;
}

/** Sends with the settings of this server. */
export type Sender = (outgoing: Outgoing, broken: AbortSignal) => Promise<Answer>;

const sendTimeoutMs = 15_000;
/** How long a claim on a delivery lasts: time to send it, and the same again to record the result. */
export const leaseMs = 2 * sendTimeoutMs;
const keptBytes = 4 * 1024;

/** Rejects only if `broken` was aborted; every other failure is a result too. */
export async function send(
  { url, headers, body }: Outgoing,
  options: SendOptions,
  broken: AbortSignal,
): Promise<Answer> {
  const late = AbortSignal.timeout(options.timeoutMs);
  const over = AbortSignal.any([late, broken]);
  try {
    const read = readTarget(url, options.allowed);
    if (!read.ok) {
      const error = fieldErrorBody("url", fieldFault(read.problem));
      throw new Unreachable(failure("webhook_url_invalid", { error }));
    }
    const { target } = read;
    const addresses = await unlessAborted(over, checkedIps(target, options.allowed, options.resolve));
    return await tryEach(addresses, (address) =>
      exchangeAgain((isFresh) => exchange({ target, address, headers, body, isFresh }, options, over)),
    );
  } catch (error) {
    broken.throwIfAborted();
    if (late.aborted) return unanswered(failure("webhook_timed_out", { count: options.timeoutMs / 1000 }));
    return unanswered(failureOf(error));
  }
}

/**
 * The next IP address is used only if the connection fails. Once bytes may have arrived, sending them elsewhere is
 * another attempt.
 */
async function tryEach(
  addresses: readonly string[],
  attempt: (address: string) => Promise<Answer>,
): Promise<Answer> {
  for (const [index, address] of addresses.entries()) {
    try {
      return await attempt(address);
    } catch (error) {
      if (index === addresses.length - 1 || !connectionErrors.has(codeOf(error))) throw error;
    }
  }
  throw new Unreachable(failure("webhook_host_without_ip"));
}

/**
 * A receiver can close a reused connection at the moment it is used: that says nothing about the receiver, so the
 * request is sent again on a new connection. It may arrive twice, with the same `webhook-id`.
 */
async function exchangeAgain(exchange: (isFresh: boolean) => Promise<Answer>): Promise<Answer> {
  try {
    return await exchange(false);
  } catch (error) {
    if (error instanceof StaleConnection) return exchange(true);
    throw error;
  }
}

/** A reused connection broke before there was a response. */
class StaleConnection extends Error {
  override readonly name = "StaleConnection";
}

const connectionErrors = new Set(["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL"]);

interface ExchangeRequest extends Pick<Outgoing, "headers" | "body"> {
  readonly target: Target;
  readonly address: string;
  /** On a new connection. */
  readonly isFresh: boolean;
}

/** One request to one IP address. The name stays in the Host header and in the TLS handshake. */
function exchange(
  { target, address, headers, body, isFresh }: ExchangeRequest,
  { ca, connections }: SendOptions,
  over: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (over.aborted) return reject(over.reason);
    const settings = {
      host: address,
      port: target.port,
      path: target.path,
      method: "POST",
      agent: isFresh || connections === undefined ? (false as const) : connections.agentFor(target.isSecure),
      headers: { ...headers, host: target.authority, "content-length": String(Buffer.byteLength(body)) },
    };
    const onResponse = (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let size = 0;
      // The status counts, even if the rest of the response never arrives.
      const done = (isWhole = false) => {
        over.removeEventListener("abort", cut);
        resolve({ status: response.statusCode ?? null, body: kept(chunks), failure: null });
        // Only a connection whose response was read completely can be reused.
        if (!isWhole) request.destroy();
      };
      const cut = () => done();
      over.removeEventListener("abort", stop);
      over.addEventListener("abort", cut);
      response.on("data", (chunk: Buffer) => {
        if (size < keptBytes) chunks.push(chunk);
        size += chunk.length;
        if (size >= keptBytes) cut();
      });
      response
        .on("end", () => done(true))
        .on("error", cut)
        .on("close", () => done(response.complete));
    };
    const name = target.address === null ? { servername: target.host.replace(/\.$/, "") } : {};
    const request = target.isSecure
      ? requestSecure({ ...settings, ...name, ...(ca === undefined ? {} : { ca }) }, onResponse)
      : requestPlain(settings, onResponse);
    const stop = () => {
      reject(over.reason);
      request.destroy();
    };
    over.addEventListener("abort", stop);
    request.on("error", (error) => {
      over.removeEventListener("abort", stop);
      const isStale = request.reusedSocket && !over.aborted;
      reject(isStale ? new StaleConnection("A reused connection broke.", { cause: error }) : error);
    });
    request.end(body);
  });
}

function kept(chunks: readonly Buffer[]): string {
  return storable(Buffer.concat(chunks).subarray(0, keptBytes).toString("utf8"));
}

/** PostgreSQL cannot store a NUL in text, and neither database half a character. */
function storable(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}

async function unlessAborted<T>(over: AbortSignal, promise: Promise<T>): Promise<T> {
  const ended = Promise.withResolvers<never>();
  const stop = () => ended.reject(over.reason);
  over.addEventListener("abort", stop);
  try {
    return await Promise.race([promise, ended.promise]);
  } finally {
    over.removeEventListener("abort", stop);
  }
}

function unanswered(why: Failure): Answer {
  return { status: null, body: null, failure: why };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function failureOf(error: unknown): Failure {
  if (error instanceof Unreachable) return error.failure;
  const code = codeOf(error);
  if (code === "ECONNREFUSED") return failure("webhook_connection_refused");
  if (code === "ECONNRESET") return failure("webhook_connection_closed");
  // It may contain names from someone else's certificate.
  const text = storable((error instanceof Error ? error.message : String(error)).slice(0, 400));
  const reason = code === "" || text.includes(code) ? text : `${text} (${code})`;
  return failure("webhook_request_failed", { reason });
}

/** How long an idle connection is kept. Many receivers close theirs after five seconds. */
const idleMs = 4_000;
/** Per IP address, port and name. */
const maxIdleConnections = 32;

/**
 * Reusable connections, by IP address, port and, with TLS, the name in the handshake, so that a request only goes to an
 * IP address that was checked for it, and only to a host that proved that name.
 */
export class ConnectionCache {
  readonly #plain: Agent;
  readonly #secure: SecureAgent;

  constructor(keptMs = idleMs) {
    const settings = { keepAlive: true, timeout: keptMs, maxFreeSockets: maxIdleConnections };
    this.#plain = new Agent(settings);
    this.#secure = new SecureAgent(settings);
  }

  agentFor(isSecure: boolean): Agent {
    return isSecure ? this.#secure : this.#plain;
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}

/** Connections and DNS lookups are kept for a moment: a busy endpoint needs neither for each event. */
export function webhookSender(allowed: AllowedTargets): Sender {
  const resolve = cachingResolver(systemResolver);
  const connections = new ConnectionCache();
  return (outgoing, broken) =>
    send(outgoing, { allowed, resolve, connections, timeoutMs: sendTimeoutMs }, broken);
}

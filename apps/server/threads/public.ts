import { randomFillSync } from "node:crypto";
import { uuidSource } from "@countersign/domain/ids/uuid";
import { callerIp } from "@countersign/domain/ip/caller";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { type IpAddress, parseIpAddress } from "@countersign/domain/ip/ip-address";
import { hashApiKey, parseApiKey, parseBearer } from "@countersign/domain/products/api-key";
import { parseNonce } from "@countersign/domain/signing/signature";
import { memoize } from "@countersign/store/batches/revisioned";
import type { RequestSpans } from "../features/traces/request-spans.ts";
import type { CallQueue } from "../features/validate/batch.ts";
import {
  Caller,
  type Endpoint,
  type PresentedKey,
  type RequestObservers,
} from "../features/validate/caller.ts";
import { LookupCall } from "../features/validate/lookup-call.ts";
import { readBodyInto } from "../features/validate/read-body.ts";
import { ValidateCall } from "../features/validate/validate-call.ts";
import { asSandbox, unauthorized, unavailable } from "../http/answers.ts";

export const newRequestId = uuidSource(Date.now, (bytes) => {
  randomFillSync(bytes);
});

/** Who decides requests, and where their outcomes are reported. */
interface PublicApiMode {
  readonly queue: CallQueue;
  readonly observers: RequestObservers;
}

/** The two endpoints for applications, as functions of a request and its peer address. */
export class PublicApi {
  readonly #live: PublicApiMode;
  readonly #sandbox: PublicApiMode;
  readonly #trustedProxies: CidrSet;
  readonly #spans: RequestSpans | null;
  #draining = false;

  /** `spans` is null if no traces are configured. */
  constructor(
    live: PublicApiMode,
    sandbox: PublicApiMode,
    trustedProxies: CidrSet,
    spans: RequestSpans | null = null,
  ) {
    this.#live = live;
    this.#sandbox = sandbox;
    this.#trustedProxies = trustedProxies;
    this.#spans = spans;
  }

  /** From now on every response asks the caller to reconnect, so that another server takes the connection. */
  drain(): void {
    this.#draining = true;
  }

  validate(request: Request, peer: string | null): Response | Promise<Response> {
    return this.#begin(request, peer, "validate", (caller, queue) => {
      const nonce = parseNonce(request.headers.get("x-countersign-nonce"));
      const call = new ValidateCall(caller, nonce, queue);
      readBodyInto(call, request);
      queue.submit(call);
    });
  }

  lookup(request: Request, peer: string | null, licenseKey: string): Response | Promise<Response> {
    return this.#begin(request, peer, "lookup", (caller, queue) => {
      queue.submit(new LookupCall(caller, licenseKey));
    });
  }

  #begin(
    request: Request,
    peer: string | null,
    endpoint: Endpoint,
    submit: (caller: Caller, queue: CallQueue) => void,
  ): Response | Promise<Response> {
    const startedMs = performance.now();
    const requestId = newRequestId();
    const { headers } = request;
    const authorization = headers.get("authorization") ?? "";
    const apiKey = authorization.length > longestAuthorization ? null : presentedKey(authorization);
    if (apiKey === null) {
      this.#live.observers.count(endpoint, "invalid_api_key");
      return unauthorized(requestId);
    }
    const { queue, observers } = apiKey.isTest ? this.#sandbox : this.#live;
    const ipAddress = peer === null ? null : this.#callerIp(peer, headers);
    if (ipAddress === null) {
      observers.count(endpoint, "unavailable");
      return unavailable(requestId);
    }
    const span =
      this.#spans === null
        ? null
        : this.#spans.request(endpoint, headers.get("traceparent"), requestId, startedMs);
    return new Promise((resolve) => {
      const marked = apiKey.isTest ? (response: Response) => resolve(asSandbox(response)) : resolve;
      const respond = this.#draining ? (last: Response) => marked(closeConnection(last)) : marked;
      submit(new Caller(endpoint, requestId, apiKey, ipAddress, startedMs, span, respond, observers), queue);
    });
  }

  #callerIp(peer: string, headers: Headers): IpAddress | null {
    if (this.#trustedProxies.size === 0) return callerIpOf(peer);
    return callerIp(peer, headers.get("x-forwarded-for"), this.#trustedProxies);
  }
}

/** Longer than any header with an API key, and not worth caching. */
const longestAuthorization = 256;

/** Both are pure functions of their text, and the same few texts occur again and again. */
const presentedKey = memoize(1_000, (authorization): PresentedKey | null => {
  const token = parseBearer(authorization);
  const parsed = token === null ? null : parseApiKey(token);
  return token === null || parsed === null ? null : { ...parsed, hash: hashApiKey(token) };
});
const callerIpOf = memoize(10_000, parseIpAddress);

function closeConnection(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}

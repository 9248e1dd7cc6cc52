import { randomFillSync } from "node:crypto";
import { uuidSource } from "@countersign/domain/ids/uuid";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { hashApiKey, parseApiKey, parseBearer } from "@countersign/domain/products/api-key";
import { parseNonce } from "@countersign/domain/signing/signature";
import { memoize } from "@countersign/store/batches/revisioned";
import { asSandbox, unauthorized, unavailable } from "../../http/answers.ts";
import { callerIpOf } from "../../http/caller-ip.ts";
import type { RequestSpans } from "../traces/request-spans.ts";
import type { CallQueue } from "./batch.ts";
import {
  type Endpoint,
  LookupCall,
  type PresentedKey,
  type PublicCall,
  type RequestObservers,
  type RequestStart,
} from "./public-call.ts";
import { ValidateCall } from "./validate-call.ts";

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
    return this.#begin(request, peer, "validate", (start, queue) => {
      const nonce = parseNonce(request.headers.get("x-countersign-nonce"));
      const call = new ValidateCall(start, nonce, queue);
      call.read(request);
      return call;
    });
  }

  lookup(request: Request, peer: string | null, licenseKey: string): Response | Promise<Response> {
    return this.#begin(request, peer, "lookup", (start) => new LookupCall(start, licenseKey));
  }

  #begin(
    request: Request,
    peer: string | null,
    endpoint: Endpoint,
    callOf: (start: RequestStart, queue: CallQueue) => PublicCall,
  ): Response | Promise<Response> {
    const startedMs = performance.now();
    const requestId = newRequestId();
    const { headers } = request;
    const authorization = headers.get("authorization") ?? "";
    const apiKey = authorization.length > maxAuthorizationLength ? null : presentedKey(authorization);
    if (apiKey === null) {
      this.#live.observers.count(endpoint, "invalid_api_key");
      return unauthorized(requestId);
    }
    const { queue, observers } = apiKey.isTest ? this.#sandbox : this.#live;
    const ipAddress = callerIpOf(peer, headers, this.#trustedProxies);
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
      queue.submit(
        callOf({ endpoint, requestId, apiKey, ipAddress, startedMs, span, respond, observers }, queue),
      );
    });
  }
}

/** Longer than any header with an API key, and not worth caching. */
const maxAuthorizationLength = 256;

/** A pure function of its text, and the same few texts occur again and again. */
const presentedKey = memoize(1_000, (authorization): PresentedKey | null => {
  const token = parseBearer(authorization);
  const parsed = token === null ? null : parseApiKey(token);
  return token === null || parsed === null ? null : { ...parsed, hash: hashApiKey(token) };
});

function closeConnection(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}

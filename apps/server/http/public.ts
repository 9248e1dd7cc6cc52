import { randomFillSync } from "node:crypto";
import { uuidSource } from "@countersign/domain/ids/uuid";
import { type Address, parseAddress } from "@countersign/domain/ip/address";
import { callerAddress } from "@countersign/domain/ip/caller";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { hashApiKey, parseApiKey, parseBearer } from "@countersign/domain/products/api-key";
import { parseNonce } from "@countersign/domain/signing/signature";
import { remember } from "@countersign/store/revisioned";
import type { Batcher } from "../features/validate/batch.ts";
import { Caller, type Endpoint, type Outlets, type PresentedKey } from "../features/validate/caller.ts";
import { LookupCall } from "../features/validate/lookup-call.ts";
import { readBodyInto } from "../features/validate/read-body.ts";
import { ValidateCall } from "../features/validate/validate-call.ts";
import { unauthorized, unavailable } from "./answers.ts";

export const newRequestId = uuidSource(Date.now, (bytes) => {
  randomFillSync(bytes);
});

/** The two endpoints for applications, as functions of a request and its peer address. */
export class PublicApi {
  readonly #batcher: Batcher;
  readonly #trustedProxies: CidrSet;
  readonly #outlets: Outlets;
  #draining = false;

  constructor(batcher: Batcher, trustedProxies: CidrSet, outlets: Outlets) {
    this.#batcher = batcher;
    this.#trustedProxies = trustedProxies;
    this.#outlets = outlets;
  }

  /** From now on every response asks the caller to reconnect, so that another server takes the connection. */
  drain(): void {
    this.#draining = true;
  }

  validate(request: Request, peer: string | null): Response | Promise<Response> {
    return this.#begin(request, peer, "validate", (caller) => {
      const nonce = parseNonce(request.headers.get("x-countersign-nonce"));
      const call = new ValidateCall(caller, nonce, this.#batcher);
      readBodyInto(call, request);
      this.#batcher.submit(call);
    });
  }

  lookup(request: Request, peer: string | null, licenseKey: string): Response | Promise<Response> {
    return this.#begin(request, peer, "lookup", (caller) => {
      this.#batcher.submit(new LookupCall(caller, licenseKey));
    });
  }

  #begin(
    request: Request,
    peer: string | null,
    endpoint: Endpoint,
    submit: (caller: Caller) => void,
  ): Response | Promise<Response> {
    const requestId = newRequestId();
    const { headers } = request;
    const authorization = headers.get("authorization") ?? "";
    const apiKey = authorization.length > longestAuthorization ? null : presentedKey(authorization);
    if (apiKey === null) {
      this.#outlets.count(endpoint, "invalid_api_key");
      return unauthorized(requestId);
    }
    const address = peer === null ? null : this.#callerAddress(peer, headers);
    if (address === null) {
      this.#outlets.count(endpoint, "unavailable");
      return unavailable(requestId);
    }
    return new Promise((resolve) => {
      const respond = this.#draining ? (last: Response) => resolve(lastOnConnection(last)) : resolve;
      submit(new Caller(endpoint, requestId, apiKey, address, respond, this.#outlets));
    });
  }

  #callerAddress(peer: string, headers: Headers): Address | null {
    if (this.#trustedProxies.size === 0) return addressOf(peer);
    return callerAddress(peer, headers.get("x-forwarded-for"), this.#trustedProxies);
  }
}

/** Longer than any header with an API key, and not worth caching. */
const longestAuthorization = 256;

/** Both are pure functions of their text, and the same few texts occur again and again. */
const presentedKey = remember(1_000, (authorization): PresentedKey | null => {
  const token = parseBearer(authorization);
  const parsed = token === null ? null : parseApiKey(token);
  return token === null || parsed === null ? null : { publicId: parsed.publicId, hash: hashApiKey(token) };
});
const addressOf = remember(10_000, parseAddress);

function lastOnConnection(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}

import { randomFillSync } from "node:crypto";
import { uuidSource } from "@countersign/domain/ids/uuid";
import { callerAddress } from "@countersign/domain/ip/caller";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { parseApiKey, parseBearer } from "@countersign/domain/products/api-key";
import { parseNonce } from "@countersign/domain/signing/signature";
import { remember } from "@countersign/store/revisioned";
import { type Caller, LookupAsker, ValidateAsker } from "../features/validate/asker.ts";
import type { Decider } from "../features/validate/decider.ts";
import type { Endpoint } from "../features/validate/messages.ts";
import { readBodyInto } from "../features/validate/read-body.ts";
import { unauthorized, unavailable } from "./answers.ts";

export const newRequestId = uuidSource(Date.now, (bytes) => {
  randomFillSync(bytes);
});

/** The two endpoints that applications call, as functions of a request and the address at its other end. */
export class PublicApi {
  readonly #decider: Decider;
  readonly #trustedProxies: CidrSet;
  readonly #count: (endpoint: Endpoint, outcome: string) => void;
  #draining = false;

  constructor(
    decider: Decider,
    trustedProxies: CidrSet,
    count: (endpoint: Endpoint, outcome: string) => void,
  ) {
    this.#decider = decider;
    this.#trustedProxies = trustedProxies;
    this.#count = count;
  }

  /** From now on every answer asks the caller to come back on a new connection, which another server will take. */
  drain(): void {
    this.#draining = true;
  }

  validate(request: Request, peer: string | null): Response | Promise<Response> {
    return this.#begin(request, peer, "validate", (caller) => {
      const nonce = parseNonce(request.headers.get("x-countersign-nonce"));
      const asker = new ValidateAsker(caller, nonce, this.#decider);
      readBodyInto(asker, request);
      this.#decider.submit(asker);
    });
  }

  lookup(request: Request, peer: string | null, licenseKey: string): Response | Promise<Response> {
    return this.#begin(request, peer, "lookup", (caller) => {
      this.#decider.submit(new LookupAsker(caller, licenseKey));
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
    const token = authorization.length > longestAuthorization ? "" : wellFormedToken(authorization);
    if (token === "") {
      this.#count(endpoint, "invalid_api_key");
      return unauthorized(requestId);
    }
    const address =
      peer === null ? null : callerAddress(peer, headers.get("x-forwarded-for"), this.#trustedProxies);
    if (address === null) {
      this.#count(endpoint, "unavailable");
      return unavailable(requestId);
    }
    return new Promise((resolve) => {
      const respond = (response: Response) => resolve(this.#draining ? lastOnConnection(response) : response);
      submit({ requestId, token, address: address.text, respond, count: this.#count });
    });
  }
}

/** Longer than any header that holds an API key: such a one is not worth remembering. */
const longestAuthorization = 256;

/** The product API key of an Authorization header, or an empty text when it cannot be one. */
const wellFormedToken = remember(1_000, (authorization: string) => {
  const token = parseBearer(authorization);
  return token !== null && parseApiKey(token) !== null ? token : "";
});

function lastOnConnection(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}

import { randomFillSync } from "node:crypto";
import { uuidSource } from "@countersign/domain/ids/uuid";
import { callerAddress } from "@countersign/domain/ip/caller";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { hashApiKey, parseApiKey, parseBearer } from "@countersign/domain/products/api-key";
import { parseNonce } from "@countersign/domain/signing/signature";
import { type CallOutlets, type CallStart, ValidateCall } from "../features/validate/call.ts";
import { LookupCall } from "../features/validate/lookup-call.ts";
import { readBodyInto } from "../features/validate/read-body.ts";
import { unauthorized, unavailable } from "./answers.ts";

export const newRequestId = uuidSource(Date.now, (bytes) => {
  randomFillSync(bytes);
});

/** The two endpoints that applications call, as functions of a request and the address at its other end. */
export class PublicApi {
  readonly #outlets: CallOutlets;
  readonly #trustedProxies: CidrSet;

  #draining = false;

  constructor(outlets: CallOutlets, trustedProxies: CidrSet) {
    this.#outlets = outlets;
    this.#trustedProxies = trustedProxies;
  }

  /** From now on every answer asks the caller to come back on a new connection, which another server will take. */
  drain(): void {
    this.#draining = true;
  }

  validate(request: Request, peer: string | null): Response | Promise<Response> {
    return this.#begin(request, peer, "validate", (start) => {
      const call = new ValidateCall(
        start,
        parseNonce(request.headers.get("x-countersign-nonce")),
        this.#outlets,
      );
      readBodyInto(call, request);
      this.#outlets.batcher.submit(call);
    });
  }

  lookup(request: Request, peer: string | null, licenseKey: string): Response | Promise<Response> {
    return this.#begin(request, peer, "lookup", (start) => {
      this.#outlets.batcher.submit(new LookupCall(start, licenseKey, this.#outlets));
    });
  }

  #begin(
    request: Request,
    peer: string | null,
    endpoint: "validate" | "lookup",
    submit: (start: CallStart) => void,
  ): Response | Promise<Response> {
    const requestId = newRequestId();
    const { headers } = request;
    const token = parseBearer(headers.get("authorization"));
    const apiKey = token === null ? null : parseApiKey(token);
    if (token === null || apiKey === null) {
      this.#outlets.count(endpoint, "invalid_api_key");
      return unauthorized(requestId);
    }
    const address =
      peer === null ? null : callerAddress(peer, headers.get("x-forwarded-for"), this.#trustedProxies);
    if (address === null) {
      this.#outlets.count(endpoint, "unavailable");
      return unavailable(requestId);
    }
    return new Promise((resolve) => {
      const answer = this.#draining ? (response: Response) => resolve(lastOnConnection(response)) : resolve;
      submit({ apiKey: { publicId: apiKey.publicId, hash: hashApiKey(token) }, address, requestId, answer });
    });
  }
}

function lastOnConnection(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}

import { countedAs, type IpAddress } from "@countersign/domain/ip/ip-address";
import type { CallResult, Question } from "@countersign/store/batches/calls";
import {
  licenseMissing,
  limitReached,
  unauthorized,
  unavailable,
  verdictResponse,
} from "../../http/answers.ts";
import type { Span } from "../traces/tracer.ts";
import type { WaitingCall } from "./batch.ts";
import { asKeyMatch } from "./body.ts";
import type { Caller, PresentedKey } from "./caller.ts";

/** One lookup in progress. It is counted like a validation and changes nothing else. */
export class LookupCall implements WaitingCall {
  readonly apiKey: PresentedKey;
  readonly ipAddress: IpAddress;
  readonly span: Span | null;
  readonly counted = false;
  readonly #caller: Caller;
  readonly #licenseKey: string;

  constructor(caller: Caller, licenseKey: string) {
    this.apiKey = caller.apiKey;
    this.ipAddress = caller.ipAddress;
    this.span = caller.span;
    this.#caller = caller;
    this.#licenseKey = licenseKey;
  }

  question(): Question {
    const keyMatch = asKeyMatch(this.#licenseKey);
    return keyMatch === null ? { kind: "admission" } : { kind: "lookup", keyMatch };
  }

  finish(result: CallResult): void {
    const { requestId } = this.#caller;
    switch (result.tag) {
      case "unauthorized":
        this.#caller.answer("invalid_api_key", unauthorized(requestId));
        break;
      case "limited":
        this.#caller.answer("rate_limit_exceeded", limitReached(requestId, result.quota));
        this.#caller.recordEnded("rate_limit_exceeded", result.caller.facts);
        break;
      case "admitted":
        // A key that no license can have is not looked up: the call ends once it is admitted.
        this.#caller.answer("not_found", licenseMissing(requestId, result.quota));
        this.#caller.recordEnded("not_found", result.caller.facts);
        break;
      case "looked_up":
        this.#respond(result);
        break;
      case "validated":
        this.failed();
        break;
    }
  }

  failed(): void {
    this.#caller.answer("unavailable", unavailable(this.#caller.requestId));
  }

  #respond({ record, quota, caller, nowMs }: Extract<CallResult, { tag: "looked_up" }>): void {
    const { requestId } = this.#caller;
    const { facts: product } = caller;
    const status = record === null ? "not_found" : "found";
    this.#caller.answer(
      status,
      record === null
        ? licenseMissing(requestId, quota)
        : verdictResponse(JSON.stringify(record), requestId, quota, null),
    );
    this.#caller.record({
      nowMs,
      product,
      licenseId: record?.id ?? null,
      status,
      ip: countedAs(this.ipAddress, product.ipv6Prefix),
      version: null,
      deviceId: null,
      problem: null,
      facts: null,
      // A lookup registers no IP address, and records no sighting.
      tracked: false,
    });
  }
}

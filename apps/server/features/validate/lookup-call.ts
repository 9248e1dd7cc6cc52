import { type Address, countedAs } from "@countersign/domain/ip/address";
import type { Judged, Question } from "@countersign/store/calls";
import { licenseMissing, limitReached, told, unauthorized, unavailable } from "../../http/answers.ts";
import type { WaitingCall } from "./batch.ts";
import { asKeyMatch } from "./body.ts";
import type { Caller, PresentedKey } from "./caller.ts";

/** One lookup in progress. It is counted like a validation and changes nothing else. */
export class LookupCall implements WaitingCall {
  readonly apiKey: PresentedKey;
  readonly address: Address;
  readonly counted = false;
  readonly #caller: Caller;
  readonly #licenseKey: string;

  constructor(caller: Caller, licenseKey: string) {
    this.apiKey = caller.apiKey;
    this.address = caller.address;
    this.#caller = caller;
    this.#licenseKey = licenseKey;
  }

  question(): Question {
    const keyMatch = asKeyMatch(this.#licenseKey);
    return keyMatch === null ? { kind: "admission" } : { kind: "lookup", keyMatch };
  }

  judged(judged: Judged): void {
    const { requestId } = this.#caller;
    switch (judged.tag) {
      case "unauthorized":
        this.#caller.answer("invalid_api_key", unauthorized(requestId));
        break;
      case "limited":
        this.#caller.answer("rate_limit_exceeded", limitReached(requestId, judged.quota));
        break;
      case "admitted":
        // A key that no license can have is not looked up: the call ends once it is admitted.
        this.#caller.answer("not_found", licenseMissing(requestId, judged.quota));
        break;
      case "looked_up":
        this.#tell(judged);
        break;
      case "validated":
        this.failed();
        break;
    }
  }

  failed(): void {
    this.#caller.answer("unavailable", unavailable(this.#caller.requestId));
  }

  #tell({ record, quota, caller, nowMs }: Extract<Judged, { tag: "looked_up" }>): void {
    const { requestId } = this.#caller;
    const { facts: product } = caller;
    const status = record === null ? "not_found" : "found";
    this.#caller.answer(
      status,
      record === null
        ? licenseMissing(requestId, quota)
        : told(JSON.stringify(record), requestId, quota, null),
    );
    this.#caller.record({
      nowMs,
      product,
      licenseId: record?.id ?? null,
      status,
      ip: countedAs(this.address, product.ipv6Prefix),
      version: null,
      deviceId: null,
      problem: null,
      // A lookup registers no IP address, and records no sighting.
      tracked: false,
    });
  }
}

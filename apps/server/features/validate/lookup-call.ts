import { type Address, countedAs } from "@countersign/domain/ip/address";
import type { Judged, Question } from "@countersign/store/calls";
import { jsonAnswer, licenseMissing, limitReached, unauthorized, unavailable } from "../../http/answers.ts";
import type { WaitingCall } from "./batch.ts";
import { asKeyMatch } from "./body.ts";
import type { CallOutlets, CallStart } from "./call.ts";

/** One lookup on its way through. It is counted like a validation and changes nothing else. */
export class LookupCall implements WaitingCall {
  readonly apiKey: CallStart["apiKey"];
  readonly address: Address;
  readonly counted = false;
  readonly #start: CallStart;
  readonly #keyMatch: string | null;
  readonly #outlets: CallOutlets;

  constructor(start: CallStart, licenseKey: string, outlets: CallOutlets) {
    this.apiKey = start.apiKey;
    this.address = start.address;
    this.#start = start;
    this.#keyMatch = asKeyMatch(licenseKey);
    this.#outlets = outlets;
  }

  question(): Question {
    return this.#keyMatch === null ? { kind: "admission" } : { kind: "lookup", keyMatch: this.#keyMatch };
  }

  judged(judged: Judged): void {
    const { requestId } = this.#start;
    switch (judged.tag) {
      case "unauthorized":
        return this.#end("invalid_api_key", unauthorized(requestId));
      case "limited":
        return this.#end("rate_limit_exceeded", limitReached(requestId, judged.quota));
      case "admitted":
        return this.#end("not_found", licenseMissing(requestId, judged.quota));
      case "looked_up":
        return this.#tell(judged);
      case "validated":
        return this.failed(new Error("A lookup was answered with a verdict."));
    }
  }

  failed(_cause: unknown): void {
    this.#end("unavailable", unavailable(this.#start.requestId));
  }

  #tell({ record, quota, caller, nowMs }: Extract<Judged, { tag: "looked_up" }>): void {
    const { requestId } = this.#start;
    const status = record === null ? "not_found" : "found";
    this.#end(
      status,
      record === null
        ? licenseMissing(requestId, quota)
        : jsonAnswer(JSON.stringify(record), requestId, quota),
    );
    const { organizationId, productId, ipv6Prefix } = caller.facts;
    const ip = countedAs(this.address, ipv6Prefix);
    const licenseId = record?.id ?? null;
    // Never tracked: a lookup registers no address, not even as seen.
    this.#outlets.record([
      requestId,
      nowMs,
      organizationId,
      productId,
      licenseId,
      "lookup",
      status,
      ip,
      null,
      null,
      null,
      false,
    ]);
  }

  #end(outcome: string, response: Response): void {
    this.#outlets.count("lookup", outcome);
    this.#start.answer(response);
  }
}

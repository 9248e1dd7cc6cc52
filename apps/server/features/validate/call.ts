import type { Address } from "@countersign/domain/ip/address";
import { countedAs } from "@countersign/domain/ip/address";
import type { Judged, Question, QuotaState } from "@countersign/store/calls";
import type { JournalEntry } from "@countersign/store/journal";
import {
  bodyTooLarge,
  bodyTooSlow,
  jsonAnswer,
  limitReached,
  unauthorized,
  unavailable,
} from "../../http/answers.ts";
import type { Batcher, WaitingCall } from "./batch.ts";
import { maxBodyBytes, readValidateBody, type ValidateBody } from "./body.ts";
import { verdictBody } from "./respond.ts";

export interface CallOutlets {
  readonly batcher: Batcher;
  readonly record: (entry: JournalEntry) => void;
  readonly count: (endpoint: "validate" | "lookup", outcome: string) => void;
}

export interface CallStart {
  readonly apiKey: { readonly publicId: string; readonly hash: string };
  readonly address: Address;
  readonly requestId: string;
  readonly answer: (response: Response) => void;
}

/** How the body of a request is doing. */
type BodyState = { at: "pending" } | { at: "here"; text: string } | { at: "too_large" } | { at: "gone" };

const slowestBodyMs = 10_000;

/**
 * One validate request on its way through. It is authenticated and counted at the first turn after its headers came,
 * whether or not its body has; usually the body came with them, and everything happens in that one turn.
 */
export class ValidateCall implements WaitingCall {
  readonly apiKey: CallStart["apiKey"];
  readonly address: Address;
  counted = false;
  readonly #requestId: string;
  readonly #nonce: string;
  readonly #answer: (response: Response) => void;
  readonly #outlets: CallOutlets;
  #bodyState: BodyState = { at: "pending" };
  #body: ValidateBody | null = null;
  #admitted: QuotaState | null = null;
  #slowTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(start: CallStart, nonce: string, outlets: CallOutlets) {
    this.apiKey = start.apiKey;
    this.address = start.address;
    this.#requestId = start.requestId;
    this.#answer = start.answer;
    this.#nonce = nonce;
    this.#outlets = outlets;
  }

  question(): Question {
    if (this.#bodyState.at !== "here") return { kind: "admission" };
    this.#body = readValidateBody(this.#bodyState.text);
    return { kind: "validate", keyMatch: this.#body.keyMatch, version: this.#body.version };
  }

  bodyIs(state: BodyState): void {
    if (this.#bodyState.at !== "pending") return;
    this.#bodyState = state;
    if (this.#admitted !== null) this.#continue(this.#admitted);
  }

  judged(judged: Judged): void {
    switch (judged.tag) {
      case "unauthorized":
        return this.#end("invalid_api_key", unauthorized(this.#requestId));
      case "limited":
        return this.#end("rate_limit_exceeded", limitReached(this.#requestId, judged.quota));
      case "admitted":
        this.counted = true;
        this.#admitted = judged.quota;
        return this.#continue(judged.quota);
      case "validated":
        return this.#tell(judged);
      case "looked_up":
        return this.failed(new Error("A validate request was answered with a record."));
    }
  }

  failed(_cause: unknown): void {
    this.#end("unavailable", unavailable(this.#requestId));
  }

  #continue(quota: QuotaState): void {
    switch (this.#bodyState.at) {
      case "here":
        this.#outlets.batcher.submit(this);
        break;
      case "too_large":
        return this.#end("body_too_large", bodyTooLarge(this.#requestId, quota, maxBodyBytes));
      case "gone":
        return this.#end("caller_gone", bodyTooSlow(this.#requestId, quota));
      case "pending":
        this.#slowTimer ??= setTimeout(() => {
          this.#bodyState = { at: "gone" };
          this.#end("body_too_slow", bodyTooSlow(this.#requestId, quota));
        }, slowestBodyMs);
        return;
    }
  }

  #tell(judged: Extract<Judged, { tag: "validated" }>): void {
    const body = this.#body ?? readValidateBody("");
    const quota = this.#admitted ?? judged.quota;
    const { caller, verdict, license, nowMs } = judged;
    const response = jsonAnswer(
      verdictBody(judged, body, this.#nonce, this.address.text),
      this.#requestId,
      quota,
    );
    if (body.problem !== null) response.headers.set("x-countersign-problem", body.problem);
    this.#end(verdict.status, response);
    this.#outlets.record([
      this.#requestId,
      nowMs,
      caller.facts.organizationId,
      caller.facts.productId,
      license?.id ?? null,
      "validate",
      verdict.status,
      countedAs(this.address, caller.facts.ipv6Prefix),
      body.version,
      body.deviceId,
      body.problem,
      caller.facts.trackIp,
    ]);
  }

  #end(outcome: string, response: Response): void {
    if (this.#slowTimer !== null) clearTimeout(this.#slowTimer);
    this.#outlets.count("validate", outcome);
    this.#answer(response);
  }
}

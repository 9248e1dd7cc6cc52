import { type Address, countedAs } from "@countersign/domain/ip/address";
import type { Judged, Question, QuotaState } from "@countersign/store/calls";
import {
  bodyTooLarge,
  bodyTooSlow,
  limitReached,
  told,
  unauthorized,
  unavailable,
} from "../../http/answers.ts";
import type { Batcher, WaitingCall } from "./batch.ts";
import { maxBodyBytes, readValidateBody, type ValidateBody } from "./body.ts";
import type { Caller, PresentedKey } from "./caller.ts";
import { verdictBody } from "./respond.ts";

/** The state of a request's body. */
type BodyState = "pending" | "here" | "too_large" | "gone";

const slowestBodyMs = 10_000;
const admission: Question = { kind: "admission" };

/**
 * One validation in progress. It is authenticated and counted at the end of the event loop iteration in which its
 * headers arrived, whether or not its body has: a wrong key or an exhausted quota is answered immediately. Usually the
 * body came with the headers, and everything happens in that iteration; if not, the call joins a second batch once the
 * body is complete.
 */
export class ValidateCall implements WaitingCall {
  readonly apiKey: PresentedKey;
  readonly address: Address;
  readonly #caller: Caller;
  readonly #nonce: string;
  readonly #batcher: Batcher;
  #bodyState: BodyState = "pending";
  #text = "";
  #body: ValidateBody | null = null;
  /** What remained when this request was counted, if that was in an earlier batch. */
  #admitted: QuotaState | null = null;
  #slowTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(caller: Caller, nonce: string, batcher: Batcher) {
    this.apiKey = caller.apiKey;
    this.address = caller.address;
    this.#caller = caller;
    this.#nonce = nonce;
    this.#batcher = batcher;
  }

  get counted(): boolean {
    return this.#admitted !== null;
  }

  question(): Question {
    if (this.#bodyState !== "here") return admission;
    this.#body = readValidateBody(this.#text);
    return { kind: "validate", keyMatch: this.#body.keyMatch, version: this.#body.version };
  }

  bodyIs(state: BodyState, text = ""): void {
    if (this.#bodyState !== "pending") return;
    this.#bodyState = state;
    this.#text = text;
    if (this.#admitted !== null) this.#continue(this.#admitted);
  }

  judged(judged: Judged): void {
    const { requestId } = this.#caller;
    switch (judged.tag) {
      case "unauthorized":
        this.#end("invalid_api_key", unauthorized(requestId));
        break;
      case "limited":
        this.#end("rate_limit_exceeded", limitReached(requestId, judged.quota));
        break;
      case "admitted":
        this.#admitted = judged.quota;
        this.#continue(judged.quota);
        break;
      case "validated":
        this.#tell(judged);
        break;
      case "looked_up":
        this.failed();
        break;
    }
  }

  failed(): void {
    this.#end("unavailable", unavailable(this.#caller.requestId));
  }

  #continue(quota: QuotaState): void {
    const { requestId } = this.#caller;
    switch (this.#bodyState) {
      case "here":
        this.#batcher.submit(this);
        break;
      case "too_large":
        this.#end("body_too_large", bodyTooLarge(requestId, quota, maxBodyBytes));
        break;
      case "gone":
        this.#end("body_gone", bodyTooSlow(requestId, quota));
        break;
      case "pending":
        this.#slowTimer = setTimeout(() => this.bodyIs("gone"), slowestBodyMs);
        break;
    }
  }

  #tell(judged: Extract<Judged, { tag: "validated" }>): void {
    const { verdict, license, nowMs } = judged;
    const { facts: product } = judged.caller;
    const body = this.#body ?? readValidateBody("");
    const text = verdictBody(judged, body, this.#nonce, this.address.text);
    const quota = this.#admitted ?? judged.quota;
    this.#end(verdict.status, told(text, this.#caller.requestId, quota, body.problem));
    this.#caller.record({
      nowMs,
      product,
      licenseId: license?.id ?? null,
      status: verdict.status,
      ip: countedAs(this.address, product.ipv6Prefix),
      version: body.version,
      deviceId: body.deviceId,
      problem: body.problem,
      tracked: product.trackIp,
    });
  }

  #end(outcome: string, response: Response): void {
    if (this.#slowTimer !== null) clearTimeout(this.#slowTimer);
    this.#caller.answer(outcome, response);
  }
}

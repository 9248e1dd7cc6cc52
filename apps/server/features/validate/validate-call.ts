import { countedAs, type IpAddress } from "@countersign/domain/ip/ip-address";
import { isoTime } from "@countersign/domain/validate/answer";
import type { Verdict } from "@countersign/domain/validate/decide";
import type { CallResult, Question } from "@countersign/store/batches/calls";
import {
  bodyTooLarge,
  bodyTooSlow,
  limitReached,
  unauthorized,
  unavailable,
  verdictResponse,
} from "../../http/answers.ts";
import type { Span } from "../traces/tracer.ts";
import type { CallQueue, WaitingCall } from "./batch.ts";
import { maxBodyBytes, readValidateBody, type ValidateBody } from "./body.ts";
import type { Caller, PresentedKey } from "./caller.ts";
import { verdictBody } from "./respond.ts";

/** The state of a request's body. */
type BodyState = "pending" | "here" | "too_large" | "gone";

/** Counted in an earlier batch. */
type Admitted = Extract<CallResult, { tag: "admitted" }>;

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
  readonly ipAddress: IpAddress;
  readonly span: Span | null;
  readonly #caller: Caller;
  readonly #nonce: string;
  readonly #queue: CallQueue;
  #bodyState: BodyState = "pending";
  #text = "";
  #body: ValidateBody | null = null;
  /** What remained when this request was counted, if that was in an earlier batch. */
  #admitted: Admitted | null = null;
  #slowTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(caller: Caller, nonce: string, queue: CallQueue) {
    this.apiKey = caller.apiKey;
    this.ipAddress = caller.ipAddress;
    this.span = caller.span;
    this.#caller = caller;
    this.#nonce = nonce;
    this.#queue = queue;
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

  finish(result: CallResult): void {
    const { requestId } = this.#caller;
    switch (result.tag) {
      case "unauthorized":
        this.#end("invalid_api_key", unauthorized(requestId));
        break;
      case "limited":
        this.#end("rate_limit_exceeded", limitReached(requestId, result.quota));
        this.#caller.recordEnded("rate_limit_exceeded", result.caller.facts);
        break;
      case "admitted":
        this.#admitted = result;
        this.#continue(result);
        break;
      case "validated":
        this.#respond(result);
        break;
      case "looked_up":
        this.failed();
        break;
    }
  }

  failed(): void {
    this.#end("unavailable", unavailable(this.#caller.requestId));
  }

  #continue({ quota, caller }: Admitted): void {
    const { requestId } = this.#caller;
    switch (this.#bodyState) {
      case "here":
        this.#queue.submit(this);
        break;
      case "too_large":
        this.#end("body_too_large", bodyTooLarge(requestId, quota, maxBodyBytes));
        this.#caller.recordEnded("body_too_large", caller.facts);
        break;
      case "gone":
        this.#end("body_gone", bodyTooSlow(requestId, quota));
        this.#caller.recordEnded("body_timeout", caller.facts);
        break;
      case "pending":
        this.#slowTimer = setTimeout(() => this.bodyIs("gone"), slowestBodyMs);
        break;
    }
  }

  #respond(result: Extract<CallResult, { tag: "validated" }>): void {
    const { verdict, license, nowMs } = result;
    const { facts: product } = result.caller;
    const body = this.#body ?? readValidateBody("");
    const text = verdictBody(result, body, this.#nonce, this.ipAddress.text);
    const { quota } = this.#admitted ?? result;
    this.#end(verdict.status, verdictResponse(text, this.#caller.requestId, quota, body.problem));
    this.#caller.record({
      nowMs,
      product,
      licenseId: license?.id ?? null,
      status: verdict.status,
      ip: countedAs(this.ipAddress, product.ipv6Prefix),
      version: body.version,
      deviceId: body.deviceId,
      problem: body.problem,
      facts: license === null || verdict.status === "active" ? null : seenFacts(verdict),
      tracked: product.trackIp,
    });
  }

  #end(outcome: string, response: Response): void {
    if (this.#slowTimer !== null) clearTimeout(this.#slowTimer);
    this.#caller.answer(outcome, response);
  }
}

/** What the rules saw of a license they refused: it can change afterwards, and the request log keeps this. */
function seenFacts({ expiresAtMs, ipCount, maxIps, version }: Verdict): string {
  return JSON.stringify({ expires: isoTime(expiresAtMs), ip_count: ipCount, max_ips: maxIps, version });
}

import {
  bodyTooLarge,
  bodyTooSlow,
  licenseMissing,
  limitReached,
  told,
  unauthorized,
  unavailable,
} from "../../http/answers.ts";
import { maxBodyBytes } from "./body.ts";
import type { Asker, Decider } from "./decider.ts";
import type { Answer, Ask, Endpoint, Quota } from "./messages.ts";

/** A request with a bearer token of the right shape, and the way to answer it. */
export interface Caller {
  readonly requestId: string;
  readonly token: string;
  readonly address: string;
  readonly respond: (response: Response) => void;
  readonly count: (endpoint: Endpoint, outcome: string) => void;
}

/** A lookup asks once and is done. */
export class LookupAsker implements Asker {
  readonly #caller: Caller;
  readonly #key: string;

  constructor(caller: Caller, key: string) {
    this.#caller = caller;
    this.#key = key;
  }

  ask(slot: number): { ask: Ask; text: string } {
    const { requestId, token, address } = this.#caller;
    return { ask: [slot, requestId, "lookup", token, address, 0, this.#key.length, ""], text: this.#key };
  }

  answered(answer: Answer, text: string): void {
    const { requestId, count, respond } = this.#caller;
    // A key that no license can have is not looked for: being admitted is the end of it.
    const missing = answer[1] === "admitted" || answer[1] === "missing";
    count("lookup", missing ? "not_found" : outcomeOf(answer));
    respond(
      answer[1] === "admitted" ? licenseMissing(requestId, answer[2]) : responseTo(answer, text, requestId),
    );
  }
}

/** How the body of a request is doing. */
export type BodyState =
  | { readonly at: "pending" | "too_large" | "gone" }
  | { readonly at: "here"; readonly text: string };

const slowestBodyMs = 10_000;

/**
 * A validation asks with its body. If that is still on the way at the end of the turn, it asks for admission first, so
 * that a wrong key or a used-up quota is answered at once, and again when the body is there.
 */
export class ValidateAsker implements Asker {
  readonly #caller: Caller;
  readonly #nonce: string;
  readonly #decider: Decider;
  #body: BodyState = { at: "pending" };
  #admitted: Quota | null = null;
  #slowTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(caller: Caller, nonce: string, decider: Decider) {
    this.#caller = caller;
    this.#nonce = nonce;
    this.#decider = decider;
  }

  ask(slot: number): { ask: Ask; text: string } {
    const { requestId, token, address } = this.#caller;
    const text = this.#body.at === "here" ? this.#body.text : null;
    const counted = this.#admitted === null ? 0 : 1;
    const ask: Ask = [
      slot,
      requestId,
      "validate",
      token,
      address,
      counted,
      text?.length ?? null,
      this.#nonce,
    ];
    return { ask, text: text ?? "" };
  }

  bodyIs(state: BodyState): void {
    if (this.#body.at !== "pending") return;
    this.#body = state;
    if (this.#admitted !== null) this.#continue(this.#admitted);
  }

  answered(answer: Answer, text: string): void {
    if (answer[1] === "admitted") {
      this.#admitted = answer[2];
      this.#continue(answer[2]);
    } else {
      this.#end(outcomeOf(answer), responseTo(answer, text, this.#caller.requestId, this.#admitted));
    }
  }

  #continue(quota: Quota): void {
    const { requestId } = this.#caller;
    switch (this.#body.at) {
      case "here":
        this.#decider.submit(this);
        break;
      case "too_large":
        this.#end("body_too_large", bodyTooLarge(requestId, quota, maxBodyBytes));
        break;
      case "gone":
        this.#end("body_gone", bodyTooSlow(requestId, quota));
        break;
      case "pending":
        this.#slowTimer = setTimeout(() => this.bodyIs({ at: "gone" }), slowestBodyMs);
        break;
    }
  }

  #end(outcome: string, response: Response): void {
    if (this.#slowTimer !== null) clearTimeout(this.#slowTimer);
    this.#caller.count("validate", outcome);
    this.#caller.respond(response);
  }
}

function outcomeOf(answer: Answer): string {
  switch (answer[1]) {
    case "unauthorized":
      return "invalid_api_key";
    case "limited":
      return "rate_limit_exceeded";
    case "failed":
      return "unavailable";
    case "told":
      return answer[3];
    case "admitted":
    case "missing":
      return answer[1];
  }
}

/** `admitted` is the quota of an earlier admission, which is what this request was counted against. */
function responseTo(
  answer: Exclude<Answer, readonly [number, "admitted", Quota]>,
  text: string,
  requestId: string,
  admitted: Quota | null = null,
): Response {
  switch (answer[1]) {
    case "unauthorized":
      return unauthorized(requestId);
    case "limited":
      return limitReached(requestId, answer[2]);
    case "missing":
      return licenseMissing(requestId, answer[2]);
    case "failed":
      return unavailable(requestId);
    case "told":
      return told(text, requestId, admitted ?? answer[2], answer[5]);
  }
}

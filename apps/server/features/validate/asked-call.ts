import { type Address, countedAs, parseAddress } from "@countersign/domain/ip/address";
import { hashApiKey, parseApiKey } from "@countersign/domain/products/api-key";
import type { Judged, Question, QuotaState } from "@countersign/store/calls";
import type { JournalEntry } from "@countersign/store/journal";
import { remember } from "@countersign/store/revisioned";
import type { WaitingCall } from "./batch.ts";
import { asKeyMatch, readValidateBody, type ValidateBody } from "./body.ts";
import type { Answer, Ask, Quota } from "./messages.ts";
import { verdictBody } from "./respond.ts";

export interface Outlets {
  /** `text` belongs to an answer of the kind `told`. */
  readonly answer: (answer: Answer, text: string) => void;
  readonly record: (entry: JournalEntry) => void;
}

/** One request as the deciding thread sees it: what it asks, and what is told and written down once it is judged. */
export class AskedCall implements WaitingCall {
  readonly apiKey: CallerKey;
  readonly address: Address;
  readonly counted: boolean;
  readonly #ask: Ask;
  readonly #text: string | null;
  readonly #outlets: Outlets;
  #body: ValidateBody | null = null;

  constructor(ask: Ask, text: string | null, outlets: Outlets) {
    const [, , , token, address, counted] = ask;
    this.apiKey = keyOf(token);
    this.address = addressOf(address);
    this.counted = counted === 1;
    this.#ask = ask;
    this.#text = text;
    this.#outlets = outlets;
  }

  question(): Question {
    const [, , endpoint] = this.#ask;
    const text = this.#text;
    if (text === null) return admission;
    if (endpoint === "validate") {
      this.#body = readValidateBody(text);
      return { kind: "validate", keyMatch: this.#body.keyMatch, version: this.#body.version };
    }
    const keyMatch = asKeyMatch(text);
    return keyMatch === null ? admission : { kind: "lookup", keyMatch };
  }

  judged(judged: Judged): void {
    const [slot] = this.#ask;
    switch (judged.tag) {
      case "unauthorized":
        this.#outlets.answer([slot, "unauthorized"], "");
        break;
      case "limited":
        this.#outlets.answer([slot, "limited", quotaOf(judged.quota)], "");
        break;
      case "admitted":
        this.#outlets.answer([slot, "admitted", quotaOf(judged.quota)], "");
        break;
      case "validated":
        this.#tellVerdict(slot, judged);
        break;
      case "looked_up":
        this.#tellRecord(slot, judged);
        break;
    }
  }

  failed(_cause: unknown): void {
    this.#outlets.answer([this.#ask[0], "failed"], "");
  }

  #tellVerdict(slot: number, judged: Extract<Judged, { tag: "validated" }>): void {
    const { verdict, license, quota } = judged;
    const [, , , , , , , nonce] = this.#ask;
    const body = this.#body ?? readValidateBody("");
    const text = verdictBody(judged, body, nonce, this.address.text);
    this.#outlets.answer([slot, "told", quotaOf(quota), verdict.status, text.length, body.problem], text);
    this.#record(judged, verdict.status, license?.id ?? null, body);
  }

  #tellRecord(slot: number, judged: Extract<Judged, { tag: "looked_up" }>): void {
    const { record, quota } = judged;
    if (record === null) {
      this.#outlets.answer([slot, "missing", quotaOf(quota)], "");
    } else {
      const text = JSON.stringify(record);
      this.#outlets.answer([slot, "told", quotaOf(quota), "found", text.length, null], text);
    }
    this.#record(judged, record === null ? "not_found" : "found", record?.id ?? null, null);
  }

  #record(
    { caller, nowMs }: Extract<Judged, { tag: "validated" | "looked_up" }>,
    status: string,
    licenseId: string | null,
    body: ValidateBody | null,
  ): void {
    const { organizationId, productId, ipv6Prefix, trackIp } = caller.facts;
    const [, requestId, endpoint] = this.#ask;
    this.#outlets.record([
      requestId,
      nowMs,
      organizationId,
      productId,
      licenseId,
      endpoint,
      status,
      countedAs(this.address, ipv6Prefix),
      body?.version ?? null,
      body?.deviceId ?? null,
      body?.problem ?? null,
      // A lookup registers no address, not even as seen.
      trackIp && endpoint === "validate",
    ]);
  }
}

interface CallerKey {
  readonly publicId: string;
  readonly hash: string;
}

const admission: Question = { kind: "admission" };

/** Both are functions of their text alone, and the same few texts come again and again. */
const keyOf = remember(1_000, (token): CallerKey => {
  return { publicId: parseApiKey(token)?.publicId ?? "", hash: hashApiKey(token) };
});
const addressOf = remember(10_000, (text): Address => {
  const address = parseAddress(text);
  if (address === null) throw new Error("An address was not parsed before it was passed on.");
  return address;
});

function quotaOf({ limit, remaining, resetSeconds }: QuotaState): Quota {
  return [limit, remaining, resetSeconds];
}

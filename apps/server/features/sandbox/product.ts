import type { JsonObject } from "@countersign/domain/custom-response/template";
import { secondsUntilReset } from "@countersign/domain/quota/day";
import { sandboxProduct, sandboxSigningKey, sandboxVerdict } from "@countersign/domain/sandbox/facts";
import { type SandboxLicense, sandboxLicense } from "@countersign/domain/sandbox/license-keys";
import type { CallerProduct, CallResult, Question, QuotaState } from "@countersign/store/batches/calls";
import type { SandboxCallerRow } from "@countersign/store/queries/sandbox/keys";
import { sandboxRecord } from "./license-record.ts";

/** The daily limit that responses of the sandbox mention. Nothing is counted. */
const limit = 10_000;

/** A product as a caller with its test API key sees it. */
export class SandboxProduct {
  readonly #caller: CallerProduct;
  readonly #nowMs: number;

  constructor(row: SandboxCallerRow, nowMs: number) {
    this.#caller = callerProduct(row);
    this.#nowMs = nowMs;
  }

  answer(question: Question): CallResult | "unavailable" {
    if (question.kind === "admission")
      return { tag: "admitted", caller: this.#caller, quota: this.#quota(limit - 1) };
    const fixed = sandboxLicense(question.keyMatch);
    switch (fixed?.status) {
      case "unavailable":
        return "unavailable";
      case "invalid_api_key":
        return { tag: "unauthorized" };
      case "rate_limit_exceeded":
        return { tag: "limited", caller: this.#caller, quota: this.#quota(0) };
    }
    return question.kind === "lookup" ? this.#lookUp(fixed) : this.#validate(fixed ?? null, question.version);
  }

  #validate(fixed: SandboxLicense | null, version: string | null): CallResult {
    const { license, verdict } = sandboxVerdict(this.#caller.facts, fixed, version, this.#nowMs);
    return {
      tag: "validated",
      caller: this.#caller,
      quota: this.#quota(limit - 1),
      license,
      verdict,
      nowMs: this.#nowMs,
    };
  }

  #lookUp(fixed: SandboxLicense | null): CallResult {
    return {
      tag: "looked_up",
      caller: this.#caller,
      quota: this.#quota(limit - 1),
      record: fixed?.lookupHttpStatus === 200 ? sandboxRecord(this.#caller.facts, fixed, this.#nowMs) : null,
      nowMs: this.#nowMs,
    };
  }

  #quota(remaining: number): QuotaState {
    return { limit, remaining, resetSeconds: secondsUntilReset(this.#nowMs) };
  }
}

/** Signs if the product does, and has its custom response: an integration must expect both. */
function callerProduct(row: SandboxCallerRow): CallerProduct {
  return {
    facts: sandboxProduct({
      productId: row.product_id,
      productName: row.product_name,
      organizationId: row.organization_id,
      organizationName: row.organization_name,
      ipv6Prefix: row.ipv6_prefix === 128 ? 128 : 64,
      custom:
        row.custom_response_enabled === 1
          ? {
              template: row.custom_response === null ? null : (JSON.parse(row.custom_response) as JsonObject),
              onRefusal: row.custom_response_on_refusal === 1,
            }
          : null,
    }),
    signing:
      row.product_signs === 1 && row.organization_signs === 1
        ? sandboxSigningKey({ publicId: row.public_id, key: row.api_key })
        : null,
  };
}

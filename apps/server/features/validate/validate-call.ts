import { type PlaceholderValues, renderCustom } from "@countersign/domain/custom-response/template";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { signBody } from "@countersign/domain/signing/signature";
import { answerBody, type Verdict } from "@countersign/domain/validate/decide";
import { maxVersionLength } from "@countersign/domain/versions/version";
import type { CallResult, Question } from "@countersign/store/batches/calls";
import { bodyTooLarge, bodyTooSlow, verdictResponse } from "../../http/answers.ts";
import type { CallQueue } from "./batch.ts";
import { maxBodyBytes, readChunks, readValidateBody, type ValidateBody } from "./body.ts";
import { PublicCall, type RequestStart } from "./public-call.ts";

type Admitted = Extract<CallResult, { tag: "admitted" }>;
type Validated = Extract<CallResult, { tag: "validated" }>;

/** The state of a request's body. */
type BodyState = "pending" | "here" | "too_large" | "gone";

const bodyTimeoutMs = 10_000;
const admission: Question = { kind: "admission" };

/**
 * A validation. It is authenticated and counted at the end of the event loop iteration in which its headers arrived,
 * whether or not its body has: a wrong key or an exhausted quota is answered immediately. Usually the body came with the
 * headers, and everything happens in that iteration; if not, the call joins a second batch once the body is complete.
 */
export class ValidateCall extends PublicCall {
  readonly #nonce: string;
  readonly #queue: CallQueue;
  #bodyState: BodyState = "pending";
  #text = "";
  #body: ValidateBody | null = null;
  /** What remained when this request was counted, if that was in an earlier batch. */
  #admitted: Admitted | null = null;
  #bodyTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(start: RequestStart, nonce: string, queue: CallQueue) {
    super(start);
    this.#nonce = nonce;
    this.#queue = queue;
  }

  get counted(): boolean {
    return this.#admitted !== null;
  }

  /** Starts reading the body. */
  read(request: Request): void {
    const declared = request.headers.get("content-length");
    if (declared !== null && Number(declared) > maxBodyBytes) {
      this.#bodyIs("too_large");
      return;
    }
    const gone = () => this.#bodyIs("gone");
    if (declared !== null || request.body === null) {
      request.text().then((text) => this.#bodyIs("here", text), gone);
    } else {
      readChunks(request.body).then(
        (text) => (text === null ? this.#bodyIs("too_large") : this.#bodyIs("here", text)),
        gone,
      );
    }
  }

  #bodyIs(state: BodyState, text = ""): void {
    if (this.#bodyState !== "pending") return;
    this.#bodyState = state;
    this.#text = text;
    if (this.#admitted !== null) this.#continue(this.#admitted);
  }

  question(): Question {
    if (this.#bodyState !== "here") return admission;
    this.#body = readValidateBody(this.#text);
    return { kind: "validate", keyMatch: this.#body.keyMatch, version: this.#body.version };
  }

  protected admitted(result: Admitted): void {
    this.#admitted = result;
    this.#continue(result);
  }

  #continue({ quota, caller }: Admitted): void {
    switch (this.#bodyState) {
      case "here":
        this.#queue.submit(this);
        break;
      case "too_large":
        this.answer("body_too_large", bodyTooLarge(this.requestId, quota, maxBodyBytes));
        this.recordEnded("body_too_large", caller.facts);
        break;
      case "gone":
        this.answer("body_gone", bodyTooSlow(this.requestId, quota));
        this.recordEnded("body_timeout", caller.facts);
        break;
      case "pending":
        this.#bodyTimer = setTimeout(() => this.#bodyIs("gone"), bodyTimeoutMs);
        break;
    }
  }

  protected override validated(result: Validated): void {
    const { verdict, license } = result;
    const { facts: product } = result.caller;
    const body = this.#body ?? readValidateBody("");
    const text = verdictBody(result, body, this.#nonce, this.ipAddress.text);
    const { quota } = this.#admitted ?? result;
    this.answer(verdict.status, verdictResponse(text, this.requestId, quota, body.problem));
    const entry = this.entry(verdict.status, product, result.nowMs);
    entry.license_id = license?.id ?? null;
    // A body can have 16 KB, and every request is stored for weeks: anything longer is not a version anyway.
    entry.version = body.version === null ? null : body.version.slice(0, maxVersionLength);
    entry.device_id = body.deviceId;
    entry.problem = body.problem;
    entry.facts = license === null || verdict.status === "active" ? null : seenFacts(verdict);
    entry.tracked = product.trackIp;
    this.record(entry);
  }

  protected override answer(outcome: string, response: Response): void {
    if (this.#bodyTimer !== null) clearTimeout(this.#bodyTimer);
    super.answer(outcome, response);
  }
}

/** What the rules saw of a license they refused: it can change afterwards, and the request log keeps this. */
function seenFacts({ expiresAtMs, ipCount, maxIps, version }: Verdict): string {
  return JSON.stringify({ expires: isoTime(expiresAtMs), ip_count: ipCount, max_ips: maxIps, version });
}

/** The exact bytes of a verdict: custom members filled in, then signed. */
function verdictBody(result: Validated, body: ValidateBody, nonce: string, ip: string): string {
  const unsigned = answerBody(result.verdict, custom(result, body, ip));
  const { signing, facts } = result.caller;
  if (signing === null) return unsigned;
  return signBody(unsigned, {
    keyId: signing.keyId,
    secret: signing.secret,
    unixSeconds: Math.floor(result.nowMs / 1000),
    nonce,
    productId: facts.productId,
    licenseKeyAsSent: body.licenseKey,
  });
}

function custom(result: Validated, body: ValidateBody, ip: string) {
  const { facts } = result.caller;
  if (facts.custom === null) return null;
  if (result.verdict.status !== "active" && !facts.custom.onRefusal) return null;
  return renderCustom(
    facts.custom.template,
    result.license?.custom?.override ?? null,
    placeholders(result, body, ip),
  );
}

function placeholders(
  { caller, license, verdict, nowMs }: Validated,
  body: ValidateBody,
  ip: string,
): PlaceholderValues {
  return {
    "customer.email": license?.custom?.customer?.email ?? null,
    "customer.name": license?.custom?.customer?.name ?? null,
    "customer.discord_id": license?.custom?.customer?.discordId ?? null,
    "license.id": license?.id ?? null,
    "license.key": license?.custom?.key ?? null,
    "license.expires_at": isoTime(verdict.expiresAtMs),
    "license.max_ips": verdict.maxIps,
    "license.ip_count": verdict.ipCount,
    "product.id": caller.facts.productId,
    "product.name": caller.facts.productName,
    "organization.id": caller.facts.organizationId,
    "organization.name": caller.facts.organizationName,
    "request.version": body.version,
    "request.ip": ip,
    "request.device_id": body.deviceId,
    "request.time": isoTime(nowMs),
  };
}

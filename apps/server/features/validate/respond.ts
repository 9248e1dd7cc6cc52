import { type PlaceholderValues, renderCustom } from "@countersign/domain/custom-response/template";
import { signBody } from "@countersign/domain/signing/signature";
import { answerBody, isoTime } from "@countersign/domain/validate/answer";
import type { CallResult } from "@countersign/store/batches/calls";
import type { ValidateBody } from "./body.ts";

type Validated = Extract<CallResult, { tag: "validated" }>;

/** The exact bytes of a verdict: custom members filled in, then signed. */
export function verdictBody(result: Validated, body: ValidateBody, nonce: string, ip: string): string {
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

import type { Api } from "./api.ts";
import { base64url, textOf } from "./bytes.ts";
import { SignatureError } from "./errors.ts";
import type { Settings } from "./options.ts";
import type { Reporter } from "./reporter.ts";
import { type ApiResponse, isFromSandbox, rateLimitOf } from "./response.ts";
import { readResult, type ValidateResult } from "./result.ts";
import { checkSignature, hasSignatureMember } from "./signature.ts";
import type { Delivery } from "./transport.ts";

/** What is sent to validate a license. */
export interface Validation {
  readonly licenseKey: string;
  readonly version: string | null;
  readonly deviceId: string | null;
}

export interface Verdict<Custom> {
  readonly result: ValidateResult<Custom>;
  /** The sandbox says nothing about real licenses. */
  readonly isSandbox: boolean;
}

/** Asks the server for its verdict. Throws a `CountersignError` without one that can be trusted. */
export async function requestVerdict<Custom>(
  { licenseKey, version, deviceId }: Validation,
  api: Api,
  settings: Settings,
  reporter: Reporter,
  delivery: Delivery,
): Promise<Verdict<Custom>> {
  const nonce = settings.signing === null ? null : base64url(crypto.getRandomValues(new Uint8Array(18)));
  const request = {
    method: "POST" as const,
    path: "/api/v1/validate",
    shownPath: "/api/v1/validate",
    headers: {
      ...api.headers(),
      "content-type": "application/json",
      ...(nonce === null ? {} : { "x-countersign-nonce": nonce }),
    },
    body: JSON.stringify({
      license_key: licenseKey,
      ...(version === null ? {} : { version }),
      ...(deviceId === null ? {} : { device_id: deviceId }),
    }),
  };
  const response = await api.send(request, licenseKey, delivery);
  if (response.status !== 200) throw api.unusable(response, licenseKey);
  const nowMs = settings.clock.wallMs();
  const clockSkewSeconds =
    nonce === null ? null : trustedSkew(response, { licenseKey, nonce, nowMs }, api, settings);
  if (clockSkewSeconds !== null) reportSkew(clockSkewSeconds, settings, reporter);
  const result = readResult<Custom>(textOf(response.body), {
    checkedAt: new Date(nowMs),
    requestId: response.requestId,
    rateLimit: rateLimitOf(response),
    problem: response.headers.get("x-countersign-problem"),
    clockSkewSeconds,
  });
  if (result === null) throw api.unusable(response, licenseKey);
  return { result, isSandbox: isFromSandbox(response) };
}

/** The clock skew of a response with a valid signature. Throws without one. */
function trustedSkew(
  response: ApiResponse,
  {
    licenseKey,
    nonce,
    nowMs,
  }: { readonly licenseKey: string; readonly nonce: string; readonly nowMs: number },
  api: Api,
  { signing }: Settings,
): number | null {
  if (signing === null) return null;
  const checked = checkSignature(response.body, {
    ...signing,
    licenseKey,
    nonce,
    nowUnixSeconds: nowMs / 1_000,
  });
  if (checked.problem === null) return checked.clockSkewSeconds;
  // The page of a captive portal is not a forged verdict.
  if (!hasSignatureMember(response.body) && !isVerdict(response)) throw api.unusable(response, licenseKey);
  throw new SignatureError(checked.problem, api.details(response, licenseKey));
}

function isVerdict({ body, requestId }: ApiResponse): boolean {
  const unknown = { rateLimit: null, problem: null, clockSkewSeconds: null };
  return readResult(textOf(body), { checkedAt: new Date(0), requestId, ...unknown }) !== null;
}

function reportSkew(clockSkewSeconds: number, { signing }: Settings, reporter: Reporter): void {
  if (signing === null || Math.abs(clockSkewSeconds) <= signing.toleranceSeconds) return;
  const difference = `${Math.abs(clockSkewSeconds)} seconds ${clockSkewSeconds > 0 ? "behind" : "ahead of"}`;
  reporter.once("clock skew", `This machine's clock is ${difference} the server's. Set it.`, {
    clockSkewSeconds,
  });
}

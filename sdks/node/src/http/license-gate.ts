import type { CustomResponse } from "../result.ts";
import type { AnyRequest, WebHeaders } from "./key-source.ts";
import { LicenseDecider, type LicenseDeciderOptions } from "./license-decider.ts";
import { type Refusal, refusalOf } from "./refusal.ts";
import type { RequestLicense } from "./request-license.ts";

/** The part of the standard `Request` that is used here. */
export interface WebRequest extends AnyRequest {
  readonly headers: WebHeaders;
  readonly url: string;
}

/** The standard `Response`, in programs whose types include it. */
export type WebResponse = typeof globalThis extends { readonly Response: { prototype: infer Type } }
  ? Type
  : unknown;

export type GateResult<Custom = CustomResponse> =
  | (RequestLicense<Custom> & { readonly allowed: true })
  | (Refusal<Custom> & { readonly response: WebResponse });

/**
 * Decides whether a request is let in, for handlers of the standard `Request`, such as those of Hono, Next.js and
 * Cloudflare Workers. If not, the handler returns `response`.
 */
export function licenseGate<Custom = CustomResponse, Request extends WebRequest = WebRequest>(
  options: LicenseDeciderOptions<Custom, Request>,
): (request: Request) => Promise<GateResult<Custom>> {
  const licenses = new LicenseDecider(options);
  return async (request) => {
    const license = await licenses.decide(request);
    if (license.allowed) return { ...license, allowed: true };
    const refusal = refusalOf(license);
    return { ...refusal, response: jsonResponse(refusal) };
  };
}

export function jsonResponse(answer: {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}): WebResponse {
  const headers = { "content-type": "application/json", ...answer.headers };
  return new Response(JSON.stringify(answer.body), { status: answer.status, headers });
}

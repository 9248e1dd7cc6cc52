import type { JsonObject } from "../custom-response/template.ts";
import type { Verdict } from "./decide.ts";

/** The body of a validate response with its ten members in their documented order, before signing. */
export function answerBody(verdict: Verdict, custom: JsonObject | null): string {
  return JSON.stringify({
    valid: verdict.status === "active",
    status: verdict.status,
    expires: isoTime(verdict.expiresAtMs),
    ip_registered: verdict.ipRegistered,
    ip_count: verdict.ipCount,
    max_ips: verdict.maxIps,
    version: verdict.version,
    version_valid: verdict.versionValid,
    custom,
    signature: null,
  });
}

export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

import { quoted } from "../base/shell-word.ts";

/** A call to the validate endpoint, ready to paste into a shell. */
export function validateCurl(url: string, apiKey: string, body: object): string {
  return `curl -sS ${quoted(`${url}/api/v1/validate`)} -H ${quoted(`Authorization: Bearer ${apiKey}`)} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`;
}

export function lookupCurl(url: string, apiKey: string, licenseKey: string): string {
  const address = `${url}/api/v1/license/${encodeURIComponent(licenseKey)}`;
  return `curl -sS ${quoted(address)} -H ${quoted(`Authorization: Bearer ${apiKey}`)}`;
}

import { randomBytes } from "node:crypto";
import { generateWebhookSecret } from "@countersign/domain/webhooks/signature";
import type { Sealer } from "@countersign/store/secrets/sealer";

/** A secret is encrypted in the form in which it is shown. */
export function newWebhookSecret(sealer: Sealer): { secret: string; sealed: string } {
  const secret = generateWebhookSecret(randomBytes);
  return { secret, sealed: sealer.seal(Buffer.from(secret)) };
}

/** Custom headers, by their names in lower case. */
type CustomHeaders = ReadonlyMap<string, string>;

export function sealHeaders(sealer: Sealer, headers: CustomHeaders): string | null {
  if (headers.size === 0) return null;
  return sealer.seal(Buffer.from(JSON.stringify(Object.fromEntries(headers))));
}

export function openHeaders(sealer: Sealer, sealed: string | null): CustomHeaders {
  if (sealed === null) return new Map();
  const headers: Record<string, string> = JSON.parse(Buffer.from(sealer.open(sealed)).toString());
  return new Map(Object.entries(headers));
}

import { fromBase64 } from "./bytes.ts";

/** Shorter secrets could be guessed. Countersign's have 32 bytes. */
const minBytes = 24;

/**
 * The keys in one secret, a list, or a text with several separated by commas. Throws a `TypeError` if there is none, or
 * one is too short: with an empty secret, anyone could sign a delivery.
 */
export function webhookKeys(secret: string | readonly string[] | undefined): Uint8Array[] {
  const given: readonly unknown[] = typeof secret === "string" ? [secret] : (secret ?? []);
  const texts = given.flatMap((one) => (typeof one === "string" ? one.split(",") : [""]));
  const keys = texts.map((text) => fromBase64(text.trim().replace(/^whsec_/, "")) ?? new Uint8Array());
  if (keys.length === 0 || keys.some((key) => key.length < minBytes))
    throw new TypeError(
      `secret must be the endpoint's secret (whsec_…) of at least ${minBytes} bytes, as shown in the dashboard.`,
    );
  return keys;
}

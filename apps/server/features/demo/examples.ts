import { randomBytes } from "node:crypto";
import { dayMs } from "@countersign/domain/dates/lengths";
import { generateApiKey } from "@countersign/domain/products/api-key";
import type { ValidateStatus } from "@countersign/domain/validate/status";
import type { Store } from "@countersign/store/store";
import { type Example, ExampleBuilder } from "./example-builder.ts";
import type { SeededProducts } from "./populate.ts";

/** One request for every outcome that validate has, a few more for what products can do, and a lookup. */
export async function createExamples(store: Store, seededProducts: SeededProducts): Promise<Example[]> {
  const nowMs = await store.clock();
  return store.transaction(async (db) => {
    const builder = new ExampleBuilder(db, seededProducts, nowMs);
    return [...Object.values(await everyOutcome(builder, nowMs)), ...(await more(builder))];
  });
}

async function everyOutcome(
  builder: ExampleBuilder,
  nowMs: number,
): Promise<Record<ValidateStatus, Example>> {
  const expired = { expiresAtMs: nowMs - 7 * dayMs };
  const revoked = { revokedAtMs: nowMs - dayMs, revokedReason: "The customer asked for a refund." };
  const { key: unknownKey } = generateApiKey(randomBytes);
  return {
    active: await builder.example(
      "active",
      "plain",
      "The license is valid, and this machine's IP address is registered.",
    ),
    license_not_found: await builder.missing(
      "license_not_found",
      "plain",
      "The product has no license with this key.",
    ),
    revoked: await builder.example("revoked", "plain", "The license was revoked.", revoked),
    expired: await builder.example("expired", "plain", "The license expired a week ago.", expired),
    ip_blocked: await builder.blocked(
      "ip_blocked",
      "plain",
      "A block on this license covers every IP address.",
    ),
    ip_not_registered: await builder.occupied(
      "ip_not_registered",
      "allow_list",
      "Only IP addresses that the seller added can use this license, and this machine's is not one of them.",
      3,
    ),
    ip_limit_reached: await builder.occupied(
      "ip_limit_reached",
      "plain",
      "The license allows one IP address, and another machine uses it.",
      1,
    ),
    version_not_allowed: await builder.example(
      "version_not_allowed",
      "versions",
      "Version 2.2.4 is blocked for everyone.",
      {},
      "2.2.4",
    ),
    product_not_found: await builder.example(
      "product_not_found",
      "deleted",
      "The product of this API key was deleted.",
    ),
    product_archived: await builder.example("product_archived", "archived", "The product is archived."),
    product_disabled: await builder.example("product_disabled", "disabled", "The product is disabled."),
    org_suspended: await builder.example(
      "org_suspended",
      "suspended",
      "The operator suspended the organization.",
    ),
    billing_suspended: await builder.example(
      "billing_suspended",
      "unpaid",
      "The organization has not paid for its plan.",
    ),
    rate_limit_exceeded: await builder.example(
      "rate_limit_exceeded",
      "used_up",
      "The product has reached its limit of 10,000 requests a day. HTTP 429 until midnight UTC.",
    ),
    invalid_api_key: {
      ...(await builder.missing("invalid_api_key", "plain", "This API key does not exist. HTTP 401.")),
      apiKey: unknownKey,
    },
  };
}

async function more(builder: ExampleBuilder): Promise<Example[]> {
  const range = { pin: { mode: "range", min: "2.1", max: "2.3" } } as const;
  const found = await builder.example("active", "plain", "");
  return [
    await builder.example(
      "active",
      "signed",
      "The response is signed, so that the app can detect a forged one.",
    ),
    await builder.example(
      "active",
      "custom",
      "The response contains the product's custom data, filled in for this customer.",
    ),
    await builder.example(
      "active",
      "versions",
      "The license allows 2.1 up to 2.3, and the product allows 2.2.1.",
      range,
      "2.2.1",
    ),
    await builder.example(
      "version_not_allowed",
      "versions",
      "The product allows 2.0.5, but this license starts at 2.1.",
      range,
      "2.0.5",
    ),
    await builder.occupied(
      "ip_not_registered",
      "first_only",
      "The license registers only the first IP address that uses it.",
      3,
    ),
    await builder.example(
      "active",
      "nearly_used_up",
      "Fewer than 50 requests are left today: see the RateLimit header.",
    ),
    {
      ...found,
      outcome: "lookup",
      description: "The full record of a license. HTTP 200, and nothing is registered.",
      body: null,
    },
  ];
}

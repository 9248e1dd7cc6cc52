import { randomBytes } from "node:crypto";
import { dayMs } from "@countersign/domain/dates/lengths";
import { generateApiKey } from "@countersign/domain/products/api-key";
import type { ValidateStatus } from "@countersign/domain/validate/status";
import type { Store } from "@countersign/store/store";
import { Desk, type Example } from "./desk.ts";
import type { Stands } from "./populate.ts";

/** One request for every outcome that validate has, a few more for what products can do, and a lookup. */
export async function makeExamples(store: Store, stands: Stands): Promise<Example[]> {
  const nowMs = await store.clock();
  return store.transaction(async (db) => {
    const desk = new Desk(db, stands, nowMs);
    return [...Object.values(await everyOutcome(desk, nowMs)), ...(await more(desk))];
  });
}

async function everyOutcome(desk: Desk, nowMs: number): Promise<Record<ValidateStatus, Example>> {
  const expired = { expiresAtMs: nowMs - 7 * dayMs };
  const revoked = { revokedAtMs: nowMs - dayMs, revokedReason: "The customer asked for a refund." };
  const { key: unknownKey } = generateApiKey(randomBytes);
  return {
    active: await desk.example(
      "active",
      "plain",
      "Everything is in order, and this machine's address is registered.",
    ),
    license_not_found: await desk.missing(
      "license_not_found",
      "plain",
      "The product has no license with this key.",
    ),
    revoked: await desk.example("revoked", "plain", "The license was taken back.", revoked),
    expired: await desk.example("expired", "plain", "The license ran out a week ago.", expired),
    ip_blocked: await desk.blocked("ip_blocked", "plain", "A block on this license takes in every address."),
    ip_not_registered: await desk.occupied(
      "ip_not_registered",
      "allow_list",
      "Only addresses entered by hand may use this license, and this machine's is not among them.",
      3,
    ),
    ip_limit_reached: await desk.occupied(
      "ip_limit_reached",
      "plain",
      "The license allows one address, and another machine has taken it.",
      1,
    ),
    version_not_allowed: await desk.example(
      "version_not_allowed",
      "versions",
      "Version 2.2.4 is blocked for everybody.",
      {},
      "2.2.4",
    ),
    product_not_found: await desk.example(
      "product_not_found",
      "deleted",
      "The product of this API key was deleted.",
    ),
    product_archived: await desk.example("product_archived", "archived", "The product is archived."),
    product_disabled: await desk.example("product_disabled", "disabled", "The product is switched off."),
    org_suspended: await desk.example(
      "org_suspended",
      "suspended",
      "The operator suspended the organization.",
    ),
    billing_suspended: await desk.example(
      "billing_suspended",
      "unpaid",
      "The organization has not paid for its plan.",
    ),
    rate_limit_exceeded: await desk.example(
      "rate_limit_exceeded",
      "used_up",
      "The product has used up its 10,000 requests of today. HTTP 429 until midnight UTC.",
    ),
    invalid_api_key: {
      ...(await desk.missing("invalid_api_key", "plain", "Nobody was given this API key. HTTP 401.")),
      apiKey: unknownKey,
    },
  };
}

async function more(desk: Desk): Promise<Example[]> {
  const range = { pin: { mode: "range", min: "2.1", max: "2.3" } } as const;
  const found = await desk.example("active", "plain", "");
  return [
    await desk.example(
      "active",
      "signed",
      "The answer is signed, so that the app can tell it from a forged one.",
    ),
    await desk.example(
      "active",
      "custom",
      "The answer carries the product's own data, filled in for this customer.",
    ),
    await desk.example(
      "active",
      "versions",
      "The license allows 2.1 up to 2.3, and the product allows 2.2.1.",
      range,
      "2.2.1",
    ),
    await desk.example(
      "version_not_allowed",
      "versions",
      "The product allows 2.0.5, but this license starts at 2.1.",
      range,
      "2.0.5",
    ),
    await desk.occupied(
      "ip_not_registered",
      "first_only",
      "The license keeps the first address that used it, and no other.",
      3,
    ),
    await desk.example(
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

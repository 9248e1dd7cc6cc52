import type Stripe from "stripe";

/** The events that can change what an organization has paid for. Others are recorded and ignored. */
const concerning = ["customer.subscription.", "invoice.", "checkout.session.", "customer.deleted"];

/** Whose subscription to fetch after an event; null for none. */
export function customerNamedBy(event: Stripe.Event): string | null {
  // An event of another account, on whose behalf this one acts.
  if (event.account !== undefined && event.account !== null) return null;
  if (!concerning.some((start) => event.type.startsWith(start))) return null;
  const about: unknown = event.data?.object;
  if (typeof about !== "object" || about === null) return null;
  if ("object" in about && about.object === "customer") return idOf(about);
  return "customer" in about ? idOf(about.customer) : null;
}

/** Stripe sends an object or only its ID. */
function idOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || !("id" in value)) return null;
  return typeof value.id === "string" ? value.id : null;
}

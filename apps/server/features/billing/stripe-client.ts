import type Stripe from "stripe";
import type { StripeSettings } from "../../base/config.ts";

/** A call that takes longer is given up. Jobs wait this long; requests have a shorter limit for all their calls. */
const timeoutMs = 10_000;

const clients = new WeakMap<StripeSettings, Promise<Stripe>>();

/** Stripe's library, loaded on first use: a server that takes no payments never needs it. */
export function stripeClient(settings: StripeSettings): Promise<Stripe> {
  let client = clients.get(settings);
  if (client === undefined) {
    client = openClient(settings);
    clients.set(settings, client);
  }
  return client;
}

async function openClient({ secretKey, url }: StripeSettings): Promise<Stripe> {
  const { default: Library } = await import("stripe");
  const { hostname, port, protocol } = new URL(url);
  return new Library(secretKey, {
    host: hostname,
    ...(port === "" ? {} : { port }),
    protocol: protocol === "http:" ? "http" : "https",
    timeout: timeoutMs,
    maxNetworkRetries: 2,
    telemetry: false,
    appInfo: { name: "Countersign" },
  });
}

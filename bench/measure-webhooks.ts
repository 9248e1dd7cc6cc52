import type { DatabaseLocation } from "@countersign/store/databases/open";
import { median } from "./compare.ts";
import { type LoadSettings, load, type Target } from "./load.ts";
import { type Seeded, seed } from "./seed.ts";
import { startCountersign } from "./servers.ts";
import { openBenchEndpoint } from "./webhook-endpoint.ts";

export const goalPerSecond = 500;
/** More than the goal, so that the server is the bottleneck. */
const offeredPerSecond = 600;

export interface WebhookRow {
  readonly work: string;
  readonly value: number;
  readonly goal: string;
  readonly detail: string;
}

export interface WebhookSetup {
  readonly name: string;
  readonly location: DatabaseLocation;
  readonly environment: Readonly<Record<string, string>>;
  readonly backlog: number;
  readonly settings: LoadSettings & { readonly rounds: number };
  readonly cleanups: (() => unknown)[];
}

/** Measures the events per second to one healthy endpoint, and their effect on validation. */
export async function measureWebhooks(
  setup: WebhookSetup,
  log: (text: string) => void,
): Promise<WebhookRow[]> {
  const { name, location, backlog, settings, cleanups } = setup;
  const seeded: Seeded = await seed(location, 10_000);
  if (backlog > 0) log(`${name}: seeding a backlog of ${backlog} …`);
  const endpoint = await openBenchEndpoint(location, seeded.access.organizationId, backlog);
  cleanups.push(() => endpoint.stop());
  const server = await startCountersign({ ...setup.environment, COUNTERSIGN_WEBHOOK_ALLOW: "127.0.0.1" });
  cleanups.push(() => server.stop());
  const target: Target = { name, port: server.port, ...seeded };
  const { rounds, seconds } = settings;
  // Warm-up: opens connections and adapts the delivery concurrency.
  await endpoint.measure(2, offeredPerSecond);
  const deliveryRates: number[] = [];
  const alone: number[] = [];
  const withWebhooks: number[] = [];
  const delivered: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    deliveryRates.push(await endpoint.measure(seconds, offeredPerSecond));
    if (backlog > 0) continue;
    await endpoint.drain();
    alone.push((await load(target, settings)).requestsPerSecond);
    const [rate, validated] = await Promise.all([
      endpoint.measure(seconds, goalPerSecond),
      load(target, settings),
    ]);
    delivered.push(rate);
    withWebhooks.push(validated.requestsPerSecond);
    await endpoint.drain();
  }
  const rows = [
    {
      work: `webhooks to one endpoint, ${name}, ${backlog === 0 ? "no backlog" : `backlog of ${backlog}`}, events/s at ${offeredPerSecond} offered`,
      value: median(deliveryRates),
      goal: `>= ${goalPerSecond}`,
      detail: `${Math.round(Math.min(...deliveryRates))} to ${Math.round(Math.max(...deliveryRates))}`,
    },
  ];
  if (backlog > 0) return rows;
  return [
    ...rows,
    {
      work: `validate while ${goalPerSecond} webhooks/s are offered to one endpoint, ${name} / alone`,
      value: median(withWebhooks.map((rate, round) => rate / (alone[round] ?? 1))),
      goal: ">= 0.80",
      detail: `${Math.round(median(withWebhooks))}/s of ${Math.round(median(alone))}/s; ${Math.round(median(delivered))} webhooks/s`,
    },
  ];
}

import type { DatabaseLocation } from "@countersign/store/open";
import { median } from "./compare.ts";
import { type LoadSettings, load, type Target } from "./load.ts";
import { type Seeded, seed } from "./seed.ts";
import { startCountersign } from "./servers.ts";
import { openEndpoint } from "./webhook-throughput.ts";

export const wantedPerSecond = 500;
/** A little more than is wanted, so that what is measured is the server. */
const offeredPerSecond = 600;

export interface WebhookRow {
  readonly work: string;
  readonly value: number;
  readonly goal: string;
  readonly detail: string;
}

export interface WebhookPart {
  readonly name: string;
  readonly location: DatabaseLocation;
  readonly environment: Readonly<Record<string, string>>;
  readonly backlog: number;
  readonly settings: LoadSettings & { readonly rounds: number };
  readonly stops: (() => unknown)[];
}

/** How many events a second one healthy endpoint gets, and what that costs those who validate meanwhile. */
export async function measureWebhooks(part: WebhookPart, say: (text: string) => void): Promise<WebhookRow[]> {
  const { name, location, backlog, settings, stops } = part;
  const seeded: Seeded = await seed(location, 10_000);
  if (backlog > 0) say(`${name}: seeding a backlog of ${backlog} …`);
  const endpoint = await openEndpoint(location, seeded.desk.organizationId, backlog);
  stops.push(() => endpoint.stop());
  const server = await startCountersign({ ...part.environment, COUNTERSIGN_WEBHOOK_ALLOW: "127.0.0.1" });
  stops.push(() => server.stop());
  const target: Target = { name, port: server.port, ...seeded };
  const { rounds, seconds } = settings;
  // The first seconds: connections are opened and the number of requests at once adapts.
  await endpoint.measure(2, offeredPerSecond);
  const quiet: number[] = [];
  const alone: number[] = [];
  const beside: number[] = [];
  const delivered: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    quiet.push(await endpoint.measure(seconds, offeredPerSecond));
    if (backlog > 0) continue;
    await endpoint.drained();
    alone.push((await load(target, settings)).requestsPerSecond);
    const [rate, validated] = await Promise.all([
      endpoint.measure(seconds, wantedPerSecond),
      load(target, settings),
    ]);
    delivered.push(rate);
    beside.push(validated.requestsPerSecond);
    await endpoint.drained();
  }
  const rows = [
    {
      work: `webhooks to one endpoint, ${name}, ${backlog === 0 ? "no backlog" : `backlog of ${backlog}`}, events/s at ${offeredPerSecond} offered`,
      value: median(quiet),
      goal: `>= ${wantedPerSecond}`,
      detail: `${Math.round(Math.min(...quiet))} to ${Math.round(Math.max(...quiet))}`,
    },
  ];
  if (backlog > 0) return rows;
  return [
    ...rows,
    {
      work: `validate while ${wantedPerSecond} webhooks/s are offered to one endpoint, ${name} / alone`,
      value: median(beside.map((rate, round) => rate / (alone[round] ?? 1))),
      goal: ">= 0.80",
      detail: `${Math.round(median(beside))}/s of ${Math.round(median(alone))}/s; ${Math.round(median(delivered))} webhooks/s`,
    },
  ];
}

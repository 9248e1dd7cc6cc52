import { randomBytes } from "node:crypto";
import { arrange } from "../../tests/http/arrange-outcome.ts";
import { type OutcomeRow, outcomeRows } from "../../tests/http/outcome-rows.ts";
import { sqlite } from "../../tests/support/databases.ts";
import { openReceiver } from "../../tests/support/receiver.ts";
import { newId, openSeller, type Seller } from "../../tests/support/seller.ts";
import { startServerProcess } from "../../tests/support/server-process.ts";
import { until } from "../../tests/support/until.ts";
import { allowLoopback, makeEndpoint, makeEvents } from "../../tests/support/webhooks.ts";

const usualKey = "ABCD-EFGH-JKMN-PQRS";

/** What there is to be on the server before a case begins. */
export interface Arrangement {
  /** A row of the table that the server's own tests go by, named by what it says; or what such a row has. */
  readonly outcome?: string | Partial<OutcomeRow>;
  readonly daily_limit?: number;
  /** The client is told the product's secret; and, while it is exchanged, also the next one or a wrong one. */
  readonly signing?: "current" | "current and next" | "wrong";
  readonly api_key?: "wrong";
}

/** What the client has to be made with. */
export interface ArrangedClient {
  readonly api_key: string;
  readonly signing?: { readonly product_id: string; readonly secrets: readonly string[] };
}

/** A real Countersign, on which every case gets a product of its own. */
export interface RealServer {
  readonly url: string;
  arrange(arrangement: Arrangement): Promise<ArrangedClient>;
  close(): Promise<void>;
}

export async function startRealServer(): Promise<RealServer> {
  const database = await sqlite.make();
  const first = await openSeller(database.location);
  const server = await startServerProcess({ ...database.environment, ...allowLoopback });
  return {
    url: server.url,
    arrange: async (arrangement) => {
      const row = rowOf(arrangement);
      const seller = await openSeller(database.location, {
        store: first.store,
        ...(row.plan === undefined ? {} : { plan: row.plan }),
        ...(row.product === undefined ? {} : { settings: row.product }),
        ...(arrangement.daily_limit === undefined ? {} : { dailyLimit: arrangement.daily_limit }),
      });
      const license = row.license === null ? null : { key: usualKey, ...row.license };
      await arrange(seller, { ...row, license });
      return clientFor(seller, arrangement);
    },
    close: async () => {
      await server.stop();
      await first.store.close();
      database.remove();
    },
  };
}

function rowOf({ outcome = {} }: Arrangement): OutcomeRow {
  if (typeof outcome !== "string") return { says: "", status: "", ...outcome };
  const row = outcomeRows.find(({ says }) => says === outcome);
  if (row === undefined) throw new Error(`No row says: ${outcome}`);
  return row;
}

function clientFor(seller: Seller, { signing, api_key }: Arrangement): ArrangedClient {
  const known = Buffer.from(seller.signingKey.secret).toString("hex");
  const other = randomBytes(32).toString("hex");
  const secrets = { current: [known], "current and next": [other, known], wrong: [other] };
  return {
    api_key:
      api_key === "wrong"
        ? `${seller.apiKey.slice(0, -1)}${seller.apiKey.endsWith("A") ? "B" : "A"}`
        : seller.apiKey,
    ...(signing === undefined
      ? {}
      : { signing: { product_id: seller.productId, secrets: secrets[signing] } }),
  };
}

/** Every verdict that the server can give. A block for the whole platform would be one for every other case too. */
export function outcomeCases(): object[] {
  return outcomeRows
    .filter(({ block }) => block?.tier !== "platform")
    .map(({ says, status, sends = {}, told = {} }) => ({
      name: says,
      answers: [{ real: { outcome: says } }],
      steps: [
        {
          validate: sends,
          expect: {
            result: {
              valid: status === "active",
              status,
              expires: null,
              ip_registered: null,
              ip_count: null,
              max_ips: null,
              version: null,
              version_valid: null,
              custom: null,
              ...told,
              source: "server",
            },
          },
        },
      ],
    }));
}

/** A delivery as a real server sends it, and the same after somebody changed it. */
export async function deliveryCases(): Promise<object[]> {
  const database = await sqlite.make();
  const seller = await openSeller(database.location);
  const receiver = await openReceiver();
  const server = await startServerProcess({ ...database.environment, ...allowLoopback });
  const { secret } = await makeEndpoint(seller.store, seller.organizationId, receiver.url);
  const at = Date.parse("2026-06-01T12:00:00.000Z");
  const data = JSON.stringify({ license_id: newId(), number: 4, text: "a – ü" });
  await makeEvents(seller.store, seller.organizationId, 1, { type: "license.revoked", at, data });
  await until("the delivery arrived", () => receiver.received.length > 0);
  await server.stop();
  await receiver.close();
  await seller.store.close();
  database.remove();
  const [delivery] = receiver.received;
  if (delivery === undefined) throw new Error("There is no delivery.");
  const headers = Object.fromEntries(
    ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, delivery.headers[name]]),
  );
  const usual = {
    now: new Date(Number(headers["webhook-timestamp"]) * 1_000).toISOString(),
    secrets: [secret],
    headers,
    body: delivery.body,
  };
  const event = {
    id: delivery.id,
    type: "license.revoked",
    timestamp: "2026-06-01T12:00:00.000Z",
    data: JSON.parse(delivery.body).data,
  };
  const mismatch = { error: { kind: "webhook", reason: "mismatch" } };
  return [
    { name: "a delivery of a real server", ...usual, expect: { event } },
    {
      name: "a delivery of a real server, changed",
      ...usual,
      body: usual.body.replace("license.revoked", "license.created"),
      expect: mismatch,
    },
    {
      name: "a delivery of a real server, and another endpoint's secret",
      ...usual,
      secrets: [`whsec_${randomBytes(24).toString("base64")}`],
      expect: mismatch,
    },
  ];
}

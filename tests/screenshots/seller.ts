import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayMs } from "@countersign/domain/dates/lengths";
import { mmdb } from "../support/mmdb.ts";
import { readAnswer } from "../support/read-answer.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { runCountersign, type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { type License, places, sendRequests } from "./traffic.ts";

/** When the pictures are taken, by the clocks of the server and of the browser, so that they show the same dates. */
export const takenAtMs = Date.parse("2027-03-16T15:20:00Z");
/**
 * How many days before that the server runs, once after the other, because its clock does not change while it runs. The
 * demo data is loaded at the first one, and apps send requests at each.
 */
const starts = [
  9.05, 8.05, 7.05, 6.05, 5.05, 4.05, 3.05, 2.05, 1.05, 0.4, 0.3, 0.2, 0.1, 0.02, 0.009, 0.004, 0.001, 0,
];

/** Some pages show them. */
const ports = { server: 3900, receiver: 3901 };
const url = `http://127.0.0.1:${ports.server}`;
const receiverUrl = `http://127.0.0.1:${ports.receiver}/countersign`;

const owner = { email: "mira@northwind.example", password: "a long password" };

/** A server with the demo data and some days of requests, all of which were sent to it. */
export type Seller = Awaited<ReturnType<typeof openSeller>>;

export async function openSeller() {
  const folder = mkdtempSync(join(tmpdir(), "countersign-screenshots-"));
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(ports.receiver, "127.0.0.1");
  let server: ServerProcess | null = null;
  const close = async () => {
    await server?.stop();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const geoIpFile = join(folder, "places.mmdb");
  writeFileSync(geoIpFile, mmdb(places));
  const environmentAt = (daysBefore: number) => ({
    COUNTERSIGN_DATA: join(folder, "data"),
    COUNTERSIGN_GEOIP_FILE: geoIpFile,
    COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1",
    COUNTERSIGN_WEBHOOK_ALLOW: "127.0.0.1/32",
    PORT: String(ports.server),
    BUN_OPTIONS: `--preload ${join(import.meta.dir, "../support/shifted-clock.ts")}`,
    TEST_CLOCK_AHEAD_MS: String(takenAtMs - daysBefore * dayMs - Date.now()),
  });
  try {
    const demo = await loadDemo(environmentAt(starts[0] ?? 0));
    const manage = managementApi(demo.accessToken);
    const random = seededRandom(2);
    let shop: Shop | null = null;
    for (const daysBefore of starts) {
      await server?.stop();
      server = await startServerProcess(environmentAt(daysBefore));
      shop ??= await openShop(manage);
      if (daysBefore >= 0.1) await manageLicenses(manage, shop, random);
      const apps = await Promise.all(
        [shop.productId, shop.signedProductId].map(async (productId, index) => ({
          apiKey: demo.apiKeys[index === 0 ? "plain" : "signed"] ?? "",
          licenses: (await manage("GET", `/products/${productId}/licenses?limit=100`)).data as License[],
        })),
      );
      const usual = daysBefore >= 1 ? 170 : daysBefore >= 0.1 ? 35 : 4;
      await sendRequests({ url, apps, random, count: Math.round(usual * (0.7 + 0.5 * random())) });
    }
    if (shop === null) throw new Error("No server was started.");
    const { webhook, organizationId } = shop;
    const { data: refused } = await manage(
      "GET",
      `/organizations/${organizationId}/requests?outcome=ip_limit_reached&limit=1`,
    );
    await until("all webhooks are delivered", async () => {
      const { data } = await manage("GET", `${webhook}/deliveries`);
      return data.every(({ state }: { state: string }) => state === "delivered");
    });
    return { ...shop, url, manage, owner, customer: demo.customer, refusedId: String(refused[0].id), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Demo {
  readonly accessToken: string;
  /** The email address of the customer who has something to do in the portal. */
  readonly customer: string;
  readonly apiKeys: Readonly<Record<string, string>>;
}

async function loadDemo(environment: Readonly<Record<string, string>>): Promise<Demo> {
  const run = async (words: readonly string[], program?: string) => {
    const { code, stdout, stderr } = await runCountersign(words, environment, program);
    if (code !== 0) throw new Error(`The demo data was not loaded (${code}):\n${stderr}`);
    return JSON.parse(stdout);
  };
  const names = ["--organization", "Northwind Labs", "--product", "Prototype"];
  const account = ["--email", owner.email, "--password", owner.password];
  const { access_token: accessToken } = await run(["setup", ...names, ...account, "--json"]);
  return { accessToken, ...(await run([], join(import.meta.dir, "load-demo.ts"))) };
}

type Manage = ReturnType<typeof managementApi>;

function managementApi(accessToken: string) {
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/api/manage/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const { status, text, body: answer } = await readAnswer(response);
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
    return answer;
  };
}

/** What the pictures are about. */
type Shop = Awaited<ReturnType<typeof openShop>>;

async function openShop(manage: Manage) {
  const { data: organizations } = await manage("GET", "/organizations");
  const organizationId = idOf(organizations, "Northwind Audio");
  const { data: products } = await manage("GET", `/organizations/${organizationId}/products`);
  const productId = idOf(products, "Waveform Studio");
  const { data: others } = await manage(
    "GET",
    `/organizations/${idOf(organizations, "Harbor Systems")}/products`,
  );
  const endpoint = await manage("POST", `/organizations/${organizationId}/webhooks`, {
    url: receiverUrl,
    description: "The shop",
    event_types: [
      "license.created",
      "license.revoked",
      "license.renewed",
      "license.expired",
      "license.ip_limit_reached",
    ],
  });
  const { data: licenses } = await manage("GET", `/products/${productId}/licenses?limit=100`);
  const full = licenses.find((one: FullLicense) => one.current_unique_ip_count === one.max_ips);
  return {
    organizationId,
    productId,
    signedProductId: idOf(products, "Tapeline Mastering"),
    /** A license whose registered IP addresses are as many as it allows. */
    fullLicenseId: String(full.id),
    /** A product that checks versions, of another organization. */
    versionedProductId: idOf(others, "Fieldkit Survey"),
    webhook: `/organizations/${organizationId}/webhooks/${endpoint.id}`,
    webhookId: String(endpoint.id),
    sold: 0,
  };
}

interface FullLicense {
  readonly current_unique_ip_count: number;
  readonly max_ips: number | null;
}

function idOf(list: readonly { readonly id: string; readonly name: string }[], name: string): string {
  const found = list.find((one) => one.name === name);
  if (found === undefined) throw new Error(`The demo has no ${name}.`);
  return found.id;
}

const buyers = ["Aiko Mori", "Tomás Rivera", "Hannah Kowalski", "Noah Berg", "Leila Mansour", "Felix Braun"];

/** What happens to licenses on one day. Their keys are the same every time. */
async function manageLicenses(manage: Manage, shop: Shop, random: () => number): Promise<void> {
  for (let left = 1 + Math.floor(2 * random()); left > 0; left -= 1) {
    const name = buyers[shop.sold % buyers.length] ?? "";
    const email = `${name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replace(" ", ".")}@example.com`;
    const { id } = await manage("POST", `/products/${shop.productId}/licenses`, {
      customer_name: name,
      customer_email: email,
      license_key: Array.from({ length: 4 }, () => block(random)).join("-"),
      expires_in: "P1Y",
      max_ips: 3,
    });
    if (shop.sold % 5 === 3) await manage("POST", `/licenses/${id}/revoke`, { reason: "Refund" });
    if (shop.sold % 5 === 1) await manage("POST", `/licenses/${id}/renew`, { extend_by: "P1Y" });
    shop.sold += 1;
  }
}

function block(random: () => number): string {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return Array.from({ length: 4 }, () => letters[Math.floor(random() * letters.length)]).join("");
}

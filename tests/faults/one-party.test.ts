import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { portalBase } from "@countersign/contract/api/bases";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import Stripe from "stripe";
import { isWholeRun, on } from "../support/databases.ts";
import { buildDocs } from "../support/docs.ts";
import { openPortalFixture, type PortalFixture } from "../support/portal-fixture.ts";
import { openRaw, type RawConnection } from "../support/raw-http.ts";
import { goodPassword, type SignInFixture, signInFixtureOf } from "../support/sign-in-fixture.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(180_000);

const webhookSecret = "whsec_of_this_test";
const stripe = {
  COUNTERSIGN_STRIPE_SECRET_KEY: "sk_test_of_this_test",
  COUNTERSIGN_STRIPE_WEBHOOK_SECRET: webhookSecret,
};
const own = { why: "one party uses as much of it as it can", environment: stripe };
/** Of each of the six kinds: more than a thousand in all in `npm run test:all`. */
const requestsOfOthers = isWholeRun ? 200 : 60;
const maxGrowthMegabytes = 100;
/** Well above what it takes on a machine that does nothing else, which `npm run bench` prints. */
const patientMs = 10_000;

/** All come from one IP address, like everybody behind a proxy that is not trusted. */
describe.each(on("sqlite"))("one party that uses as much as it can, on $kind", ({ make }) => {
  let fixture: PortalFixture;
  let signIn: SignInFixture;
  let others: readonly (() => Promise<number>)[];
  let connections: RawConnection[] = [];

  beforeAll(async () => {
    buildDocs();
    fixture = await openPortalFixture(make, own);
    signIn = signInFixtureOf(fixture);
    others = await otherParties(fixture, signIn);
  });
  afterAll(() => fixture.close());

  /** Opens connections that all send this. Those that get an answer can be used for the next request. */
  const connect = async (count: number, requestOf: (number: number) => string) => {
    connections = [];
    for (let number = 0; number < count; number++) {
      const raw = await openRaw(fixture.server.port);
      raw.write(requestOf(number));
      connections.push(raw);
    }
  };
  /** All others are served as if nothing happened. Then the party leaves. */
  const othersAreServed = async () => {
    const answered = await answersOf(others);
    for (const connection of connections) connection.close();
    expect(answered.refused).toEqual([]);
    expect(answered.slowestMs).toBeLessThan(patientMs);
  };
  const get = (path: string, token: string) =>
    `GET ${path} HTTP/1.1\r\nHost: example.com\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const organizationPath = () => `/api/manage/v1/organizations/${fixture.organizationId}`;

  test("300 live streams of one organization delay nobody else", async () => {
    const tokens = await Promise.all(
      Array.from({ length: 30 }, async () => (await fixture.member(["requests:view"])).token),
    );
    const before = memoryOf(fixture.server.pid);
    await connect(300, (number) => get(`${organizationPath()}/requests/live`, tokens[number % 30] ?? ""));
    await othersAreServed();
    expect(memoryOf(fixture.server.pid) - before).toBeLessThan(maxGrowthMegabytes);
  });

  test("300 requests of one token that wait for events delay nobody else", async () => {
    const path = `${organizationPath()}/events?order=oldest&wait_seconds=20&type=license.revoked`;
    await connect(300, () => get(path, fixture.owner.token));
    await othersAreServed();
  });

  test("2,300 anonymous connections that repeat a rejected sign-in delay nobody else", async () => {
    const body = JSON.stringify({ email: "nobody@example.com", password: "wrong" });
    const origin = new URL(fixture.url).origin;
    const request =
      `POST /api/auth/sign-in/email HTTP/1.1\r\nHost: example.com\r\nOrigin: ${origin}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    await connect(2_300, () => request);
    let isOver = false;
    const repeating = connections.map(async (connection) => {
      while (!isOver && (await connection.answer({ deadlineMs: 60_000 }).catch(() => null)) !== null)
        connection.write(request);
    });
    await othersAreServed();
    isOver = true;
    await Promise.all(repeating);
  });

  test("200 exports that nobody reads delay nobody else and take little memory", async () => {
    const { owner } = fixture;
    await addLicenses(fixture, fixture, 20_000, "n".repeat(300));
    const before = memoryOf(fixture.server.pid);
    await connect(200, () => get(`${organizationPath()}/licenses/export?format=csv`, owner.token));
    for (const connection of connections) connection.pause();
    await othersAreServed();
    expect(memoryOf(fixture.server.pid) - before).toBeLessThan(maxGrowthMegabytes);
  });

  test("unread exports of six organizations keep no other from exporting, and one that is cut never looks whole", async () => {
    const organizations = await Promise.all(
      Array.from({ length: 7 }, () => organizationWithProduct(fixture)),
    );
    const [small, ...large] = organizations;
    for (const organization of large) await addLicenses(fixture, organization, 1_200, "n".repeat(9_000));
    await addLicenses(fixture, small, 10, "n");
    const unread: UnreadResponse[] = [];
    for (const { organizationId, token } of large)
      for (let number = 0; number < 4; number++) {
        const path = `/api/manage/v1/organizations/${organizationId}/licenses/export?format=csv`;
        unread.push(await openUnread(fixture.server.port, get(path, token)));
      }
    const response = await fetch(
      `${fixture.url}/api/manage/v1/organizations/${small?.organizationId}/licenses/export?format=csv`,
      { headers: { authorization: `Bearer ${small?.token}` } },
    );
    expect(response.status).toBe(200);
    expect((await response.text()).trimEnd().split("\n")).toHaveLength(11);
    const areWhole: boolean[] = [];
    for (const { isWhole } of unread) areWhole.push(await isWhole());
    expect(areWhole.filter((whole) => !whole)).toHaveLength(1);
  });

  test("300 requests of one client for the largest file get it whole or are refused before it begins, and delay nobody else", async () => {
    const before = memoryOf(fixture.server.pid);
    const taken = Array.from({ length: 300 }, () => endOf(fixture.server.port, getLargestFile));
    await othersAreServed();
    expect(memoryOf(fixture.server.pid) - before).toBeLessThan(maxGrowthMegabytes);
    const ends = await Promise.all(taken);
    expect(ends.filter((end) => !["200 whole", "503 whole"].includes(end))).toEqual([]);
    // As many as are sent at a time, and more.
    expect(ends.filter((end) => end === "200 whole").length).toBeGreaterThan(64);
  });

  test("300 requests for the largest file whose callers take nothing of it delay nobody else and take little memory", async () => {
    const before = memoryOf(fixture.server.pid);
    await connect(300, () => getLargestFile);
    for (const connection of connections) connection.pause();
    await othersAreServed();
    expect(memoryOf(fixture.server.pid) - before).toBeLessThan(maxGrowthMegabytes);
  });

  test("60 bodies that never arrive delay no event of the payment provider", async () => {
    const head = `POST /api/stripe/webhook HTTP/1.1\r\nHost: example.com\r\nStripe-Signature: t=1,v1=a\r\n`;
    await connect(60, () => `${head}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{`);
    await othersAreServed();
  });
});

/** The program of the API reference, of a megabyte. */
const getLargestFile =
  "GET /docs/scalar.js HTTP/1.1\r\nHost: example.com\r\nAccept-Encoding: br\r\nConnection: close\r\n\r\n";

/** How a request ends whose response is taken at once: its status, and whether it is whole. */
function endOf(port: number, request: string): Promise<string> {
  const socket = connectSocket({ host: "127.0.0.1", port });
  socket.write(request);
  let head = "";
  let last = "";
  let length = 0;
  return new Promise((resolve) => {
    socket.on("data", (piece: Buffer) => {
      if (!head.includes("\r\n\r\n")) head += piece.toString("latin1");
      length += piece.length;
      last = (last + piece.subarray(-5).toString("latin1")).slice(-5);
    });
    for (const event of ["end", "close", "error"])
      socket.on(event, () => {
        socket.destroy();
        const declared = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
        const announced = head.indexOf("\r\n\r\n") + 4 + Number(declared);
        const isWhole = declared === undefined ? last === "0\r\n\r\n" : length >= announced;
        resolve(`${head.slice(9, 12) || "no answer"} ${isWhole ? "whole" : "broken off"}`);
      });
  });
}

interface Exporter {
  readonly organizationId: string;
  readonly productId: string;
  readonly token: string;
}

async function organizationWithProduct({ person }: PortalFixture): Promise<Exporter> {
  const { api, token } = await person();
  const organization = await api.post("/organizations", { name: "Acme" });
  const organizationId = String(organization.body.id);
  const product = await api.post(`/organizations/${organizationId}/products`, { name: "Plugin" });
  return { organizationId, productId: String(product.body.id), token };
}

async function addLicenses(
  { store }: PortalFixture,
  owner: { readonly organizationId: string; readonly productId: string } | undefined,
  count: number,
  notes: string,
): Promise<void> {
  if (owner === undefined) throw new Error("There is no organization.");
  const { organizationId, productId } = owner;
  const nowMs = Date.now();
  for (let from = 0; from < count; from += 2_000) {
    const licenses = Array.from({ length: Math.min(2_000, count - from) }, () => {
      const id = newId();
      return { id, key: `KEY-${id}`, organizationId, productId, customerId: null, maxIps: 3, notes };
    });
    await store.transaction((db) => createLicenses(db, licenses, nowMs));
  }
}

/** A response of which only the first piece has been taken. */
interface UnreadResponse {
  /** Takes the rest: whether it ends as a whole response does. */
  isWhole(): Promise<boolean>;
}

async function openUnread(port: number, request: string): Promise<UnreadResponse> {
  const socket = connectSocket({ host: "127.0.0.1", port });
  socket.write(request);
  const end = Promise.withResolvers<void>();
  for (const event of ["end", "close", "error"]) socket.on(event, () => end.resolve());
  let last = "";
  const begun = new Promise<void>((resolve) => {
    socket.on("data", (piece: Buffer) => {
      if (last === "") socket.pause();
      last = (last + piece.toString("latin1")).slice(-16);
      if (last.endsWith("\r\n0\r\n\r\n")) end.resolve();
      resolve();
    });
  });
  await Promise.race([begun, end.promise]);
  return {
    isWhole: async () => {
      socket.resume();
      await end.promise;
      socket.destroy();
      return last.endsWith("\r\n0\r\n\r\n");
    },
  };
}

/** Requests of others, each with the status that it should get. */
async function otherParties(fixture: PortalFixture, signIn: SignInFixture) {
  const { url } = fixture;
  const someone = await fixture.person();
  // Few attempts each, because those at an account are limited.
  const users = await Promise.all(Array.from({ length: 200 }, () => signIn.createUser()));
  let signIns = 0;
  const customer = await fixture.signedIn(await fixture.customer());
  const cookie = [...customer.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const expectStatus = (status: number, request: () => Promise<Response>) => async () => {
    const response = await request();
    await response.arrayBuffer();
    return response.status === status ? 0 : response.status;
  };
  const client = new Stripe("sk_test_of_this_test");
  return [
    expectStatus(200, () =>
      fetch(`${url}/api/v1/validate`, {
        method: "POST",
        headers: { authorization: `Bearer ${fixture.apiKey}` },
        body: JSON.stringify({ license_key: "UNKNOWN" }),
      }),
    ),
    expectStatus(200, () => fetch(`${url}/`, { headers: { accept: "text/html" } })),
    expectStatus(200, () =>
      fetch(`${url}/api/manage/v1/me`, { headers: { authorization: `Bearer ${someone.token}` } }),
    ),
    expectStatus(200, () => fetch(`${url}${portalBase}/me`, { headers: { cookie } })),
    async () => {
      // Together, anonymous clients can make a hundred attempts a second.
      await new Promise((resolve) => setTimeout(resolve, 60));
      signIns += 1;
      const { email } = users[signIns % users.length] ?? {};
      const { status } = await signIn.signIn(String(email), { password: goodPassword });
      return status === 200 ? 0 : status;
    },
    expectStatus(200, async () => {
      const payload = JSON.stringify({
        id: `evt_${newId()}`,
        object: "event",
        type: "customer.subscription.updated",
        data: { object: { id: "sub_1", object: "subscription", customer: "cus_unknown" } },
      });
      const signature = await client.webhooks.generateTestHeaderStringAsync({
        payload,
        secret: webhookSecret,
      });
      return fetch(`${url}/api/stripe/webhook`, {
        method: "POST",
        headers: { "stripe-signature": signature, "content-type": "application/json" },
        body: payload,
      });
    }),
  ];
}

async function answersOf(others: readonly (() => Promise<number>)[]) {
  const refused: number[] = [];
  let slowestMs = 0;
  for (const request of others) {
    let sent = 0;
    const one = async () => {
      for (; sent < requestsOfOthers; ) {
        sent += 1;
        const startMs = performance.now();
        const status = await Promise.race([
          request(),
          new Promise<number>((resolve) => setTimeout(resolve, 2 * patientMs, -1)),
        ]);
        if (status !== 0) refused.push(status);
        slowestMs = Math.max(slowestMs, performance.now() - startMs);
        if (status === -1) return;
      }
    };
    await Promise.all(Array.from({ length: 4 }, one));
  }
  return { refused, slowestMs };
}

function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

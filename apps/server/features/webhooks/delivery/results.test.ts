import { expect, setDefaultTimeout, test } from "bun:test";
import { claimDeliveries } from "@countersign/store/queries/webhooks/claim-deliveries";
import { sql } from "kysely";
import { idsOf, onBothDatabases } from "../../../../../tests/support/query-tests.ts";
import { newId } from "../../../../../tests/support/test-organization.ts";
import { until } from "../../../../../tests/support/until.ts";
import { type TestEndpoint, TestReceivers } from "../../../../../tests/support/webhook-nodes.ts";
import { makeDeliveries, makeEvents } from "../../../../../tests/support/webhooks.ts";
import { JobRuns } from "../../../jobs/job-runs.ts";
import { Outbox } from "./outbox.ts";
import { type Refusal, recordResults, releaseClaims, resultOf } from "./results.ts";
import { leaseMs } from "./send.ts";

setDefaultTimeout(60_000);

/** What the database refuses to write: in which case of which table. In `new` and `old` are the row after and before. */
const refusable = {
  response: ["insert on delivery_attempts", "new.sealed_response is not null"],
  result: ["update on deliveries", "new.claimed_by is null and old.claimed_by is not null"],
} as const;

onBothDatabases("refused delivery results", (fixture) => {
  const receivers = new TestReceivers();
  let triggers = 0;
  /** Makes the database refuse something about an endpoint while `work` runs. */
  const refusing = async (
    what: keyof typeof refusable,
    { endpointId }: TestEndpoint,
    work: () => Promise<void>,
  ) => {
    triggers += 1;
    const name = `refused_${triggers}`;
    const [when, condition] = refusable[what];
    const own = `new.endpoint_id = '${endpointId}' and ${condition}`;
    const run = (statement: string) => fixture.write((db) => sql.raw(statement).execute(db));
    if (fixture.kind === "sqlite") {
      const abort = "select raise(abort, 'refused by a test')";
      await run(`create trigger ${name} before ${when} when ${own} begin ${abort}; end`);
    } else {
      await run(`create function ${name}() returns trigger language plpgsql as $$
        begin if ${own} then raise exception 'refused by a test'; end if; return new; end $$`);
      await run(`create trigger ${name} before ${when} for each row execute function ${name}()`);
    }
    try {
      await work();
    } finally {
      await run(fixture.kind === "sqlite" ? `drop trigger ${name}` : `drop function ${name}() cascade`);
    }
  };
  /** Claimed deliveries of an endpoint, and the results of sending them. */
  const sent = async (endpoint: TestEndpoint, count: number, atMs = Date.now()) => {
    const due = { state: "pending", attempts: 0, next_attempt_at: atMs } as const;
    const rows = await makeDeliveries(endpoint, Array(count).fill(due));
    const { bulk } = fixture.store;
    await fixture.write((db) =>
      claimDeliveries(db, bulk, idsOf(rows), { claimant: "node", nowMs: atMs, untilMs: atMs + leaseMs }),
    );
    const answer = { status: 200, body: "answer", failure: null };
    return rows.map((delivery) => resultOf({ delivery, atMs, answer, durationMs: 5, headers: {} }, 0));
  };
  const record = async (results: Parameters<typeof recordResults>[1]) => {
    const refusals: Refusal[] = [];
    const refused = (refusal: Refusal) => void refusals.push(refusal);
    const parts = { store: fixture.store, claimant: "node", url: "", random: () => 0, refused };
    return { over: await recordResults(parts, results), refusals };
  };
  const endpoint = () => receivers.endpoint(fixture);

  test("a refused result is stored without the request and the response, and the others are stored in full", async () => {
    const [poison, healthy] = [await endpoint(), await endpoint()];
    const results = [...(await sent(poison, 3)), ...(await sent(healthy, 3))];
    await refusing("response", poison, async () => {
      const { over, refusals } = await record(results);
      expect(over).toHaveLength(6);
      expect(refusals).toMatchObject(Array(3).fill({ endpointId: poison.endpointId, isOver: false }));
      expect(refusals[0]?.reason).toContain("refused by a test");
    });
    for (const one of [poison, healthy])
      expect(await one.states()).toEqual(["delivered", "delivered", "delivered"]);
    const failure = expect.stringContaining("webhook_result_not_stored");
    const bare = { response_body: null, request_headers: "{}", failure };
    expect(await poison.attempts()).toMatchObject([bare, bare, bare]);
    const whole = { response_body: "answer", failure: null };
    expect(await healthy.attempts()).toMatchObject([whole, whole, whole]);
  });

  test("a result is given up if nothing of it can be stored, so that the event is sent again", async () => {
    const [hopeless, healthy] = [await endpoint(), await endpoint()];
    const results = [...(await sent(hopeless, 2)), ...(await sent(healthy, 2))];
    await refusing("result", hopeless, async () => {
      const { over, refusals } = await record(results);
      expect(new Set(over)).toEqual(new Set(results));
      expect(refusals.map((refusal) => refusal.isOver)).toEqual([true, true]);
    });
    expect(await healthy.states()).toEqual(["delivered", "delivered"]);
    const left = { state: "pending", claimed_by: "node", attempts: 0 };
    expect(await hopeless.deliveries()).toMatchObject([left, left]);
    expect(await hopeless.attempts()).toEqual([]);
  });

  test.each([
    ["kept while its claim lasts", 0, 0],
    ["given up when its claim has expired", leaseMs, 25],
  ])("a result is %s if nothing at all can be stored", async (_, agoMs, givenUp) => {
    const hopeless = await endpoint();
    const results = await sent(hopeless, 25, Date.now() - agoMs);
    await refusing("result", hopeless, async () => {
      const { over, refusals } = await record(results);
      // After 20 refusals without a success the rest is not tried.
      const expected = Math.min(givenUp, 20);
      expect([over.length, refusals.length]).toEqual([expected, expected]);
    });
    const { over } = await record(results);
    expect(over).toHaveLength(25);
    expect(new Set(await hopeless.states())).toEqual(new Set(["delivered"]));
  });

  test("a refused result does not prevent the release of other claims", async () => {
    const [stuck, other] = [await endpoint(), await endpoint()];
    const results = [...(await sent(stuck, 2)), ...(await sent(other, 2))];
    const ids = results.map((result) => result.attempt.delivery_id);
    const notReleased: string[] = [];
    const refused = ({ deliveryId }: Refusal) => void notReleased.push(deliveryId);
    await refusing("result", stuck, () =>
      releaseClaims({ store: fixture.store, claimant: "node", refused }, ids),
    );
    expect(notReleased).toEqual(ids.slice(0, 2));
    expect(await stuck.deliveries()).toMatchObject([{ claimed_by: "node" }, { claimed_by: "node" }]);
    expect(await other.deliveries()).toMatchObject([{ claimed_by: null }, { claimed_by: null }]);
  });

  test("a refused result is logged, and delays no other endpoint of the organization", async () => {
    const poison = await endpoint();
    const { organizationId } = poison;
    const own = () => receivers.endpoint(fixture, { organization_id: organizationId });
    const [hopeless, healthy] = [await own(), await own()];
    poison.reply(200, "poison");
    const logged: string[] = [];
    const note = (message: string, fields: object = {}) =>
      void logged.push(`${message} ${JSON.stringify(fields)}`);
    const log = { debug: note, info: note, warn: note, error: note };
    const isLogged = (text: string) =>
      until(`the log contains: ${text}`, () => logged.some((line) => line.includes(text)));
    await refusing("response", poison, () =>
      refusing("result", hopeless, async () => {
        const sending = new Outbox({
          store: fixture.store,
          url: "",
          sender: receivers.send,
          log,
          runs: new JobRuns(newId()),
        });
        for (const all of ["delivered", "delivered,delivered"]) {
          await makeEvents(fixture.store, organizationId, 1);
          const hasAll = async () => (await healthy.states()).join() === all;
          await until("the healthy endpoint has its events", hasAll);
        }
        await isLogged("It was stored without the request and the response.");
        await isLogged("The event will be sent again.");
        await sending.close();
      }),
    );
    await hopeless.set({ deleted_at: 1 });
  });
});

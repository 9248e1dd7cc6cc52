import { expect, setDefaultTimeout, test } from "bun:test";
import { postgres } from "../support/databases.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { countedRequests } from "../support/public-api-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import { ask, holdLock, keepAsking, type Question } from "./locked-rows.ts";

setDefaultTimeout(180_000);

const pauses = 3;
const callsEach = 400;
const maxIps = 4;

test.skipIf(process.platform === "win32")(
  "a node that is paused while it works does not keep another from answering",
  async () => {
    const fixture = await openManageFixture(postgres.make);
    const { store, server: paused } = fixture;
    const healthy = await startServerProcess(fixture.database.environment);
    const org = await openTestOrganization(fixture.database.location, { store });
    const questions: Question[] = [];
    const licenses: string[] = [];
    // Few licenses, so that both nodes always need the same rows.
    for (let index = 0; index < 30; index++) {
      const { id, key } = await org.license({ maxIps });
      licenses.push(id);
      questions.push({ apiKey: org.apiKey, key });
    }
    const ofPaused = questions.map((question, index) =>
      keepAsking(paused.port, question, `127.0.2.${10 + index}`),
    );
    const manage = await keepChanging(fixture);
    let verdicts = 0;
    let sent = 0;
    let unavailable = 0;
    for (let round = 0; round < pauses; round++) {
      const enough = manage.changes + 20;
      await until("there are changes", () => manage.changes >= enough, 60_000);
      paused.signal("SIGSTOP");
      try {
        const options = { count: callsEach, callers: 8, firstIp: 10 + round * 8 };
        const answers = await ask(healthy.port, questions, options);
        expect(answers.others).toEqual([]);
        for (const status of answers.statuses.keys())
          expect(["active", "ip_limit_reached"]).toContain(status);
        verdicts += answers.verdicts;
        unavailable += answers.unavailable;
        sent += answers.all;
      } finally {
        paused.signal("SIGCONT");
      }
    }
    await manage.stop();
    await Promise.all(ofPaused.map((asking) => asking.stop()));
    expect(unavailable).toBeLessThanOrEqual((pauses * callsEach) / 1_000);
    for (const { answers } of ofPaused) {
      expect(answers.others).toEqual([]);
      for (const status of answers.statuses.keys()) expect(["active", "ip_limit_reached"]).toContain(status);
      verdicts += answers.verdicts;
      sent += answers.all;
    }
    const counted = await countedRequests(org);
    expect(counted).toBeGreaterThanOrEqual(verdicts);
    expect(counted).toBeLessThanOrEqual(sent);
    const rows = await store.reads
      .selectFrom("license_ips")
      .select("license_id")
      .where("license_id", "in", licenses)
      .execute();
    for (const id of licenses)
      expect(rows.filter((row) => row.license_id === id).length).toBeLessThanOrEqual(maxIps);
    expect(await healthy.stop()).toBe(0);
    await fixture.close();
  },
);

test.skipIf(process.platform === "win32")(
  "a node that is paused in a transaction locks its license for a few seconds and delays no one else",
  async () => {
    const fixture = await openManageFixture(postgres.make);
    const { server: paused, owner, productId, apiKey } = fixture;
    const healthy = await startServerProcess(fixture.database.environment);
    const create = async () => {
      const fields = { customer_email: "ada@example.com", max_ips: 20 };
      return (await owner.api.post(`/products/${productId}/licenses`, fields)).body;
    };
    const held = await create();
    const questions: Question[] = [];
    for (let index = 0; index < 30; index++) questions.push({ apiKey, key: (await create()).license_key });
    const url = fixture.database.location.kind === "postgres" ? fixture.database.location.url : "";
    // A change writes to the audit log last, so it now stops with the license locked.
    const log = await holdLock(url, "lock table audit_log in exclusive mode");
    const change = owner.api.patch(`/licenses/${held.id}`, { notes: "Changed" }).catch(() => null);
    await until("the change waits", () => log.isWaitedFor());
    paused.signal("SIGSTOP");
    try {
      await log.release();
      const affected = keepAsking(healthy.port, { apiKey, key: held.license_key }, "127.0.2.9");
      const answers = await ask(healthy.port, questions, { count: 1_000, callers: 8 });
      expect(answers.others).toEqual([]);
      expect([...answers.statuses.keys()]).toEqual(["active"]);
      expect(answers.unavailable).toBeLessThanOrEqual(1);
      await until("the license is free again", () => affected.answers.verdicts > 0, 30_000);
      await affected.stop();
      expect(affected.answers.unavailable).toBeGreaterThan(0);
      expect(affected.answers.others).toEqual([]);
      expect([...affected.answers.statuses.keys()]).toEqual(["active"]);
    } finally {
      paused.signal("SIGCONT");
    }
    await change;
    expect(await healthy.stop()).toBe(0);
    await fixture.close();
  },
);

/** Changes licenses through the node that is to be paused, so that it is paused in a transaction, too. */
async function keepChanging({ owner, productId }: Awaited<ReturnType<typeof openManageFixture>>) {
  const license = await owner.api.post(`/products/${productId}/licenses`, {
    customer_email: "ada@example.com",
  });
  const state = { changes: 0, isOver: false };
  const changing = Array.from({ length: 4 }, async () => {
    while (!state.isOver) {
      const answer = await owner.api.patch(`/licenses/${license.body.id}`, { notes: String(state.changes) });
      if (answer.status === 200) state.changes += 1;
    }
  });
  return {
    get changes() {
      return state.changes;
    },
    stop: async () => {
      state.isOver = true;
      await Promise.all(changing);
    },
  };
}

import { expect, setDefaultTimeout, test } from "bun:test";
import type { TestedDatabase } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { countedRequests, registeredIps } from "../support/public-api-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";
import { type Answers, ask, holdLock, keepAsking, type Question } from "./locked-rows.ts";

setDefaultTimeout(180_000);

const pauses = 2;
const callsEach = 150;
const maxIps = 4;

/** Two nodes on one database: the server of the fixture, which is paused, and one that is not. */
async function openTwoNodes(make: TestedDatabase["make"]) {
  const fixture = await openManageFixture(make);
  const healthy = await startServerProcess({ ...fixture.environment, PORT: "0" });
  const close = async () => {
    expect(await healthy.stop()).toBe(0);
    await fixture.close();
  };
  return { ...fixture, healthy, close };
}

if (process.platform !== "win32")
  testsOn("postgres", "a node that is paused", openTwoNodes, (nodes) => {
    test("while it works does not keep another from answering", async () => {
      const { store, server: paused, healthy } = nodes;
      const org = await openTestOrganization(null, { store });
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
      const manage = await keepChanging(nodes);
      const all: Answers[] = [];
      for (let round = 0; round < pauses; round++) {
        const enough = manage.changes + 20;
        await until("there are changes", () => manage.changes >= enough, 60_000);
        paused.signal("SIGSTOP");
        try {
          const options = { count: callsEach, callers: 8, firstIp: 10 + round * 8 };
          all.push(await ask(healthy.port, questions, options));
        } finally {
          paused.signal("SIGCONT");
        }
      }
      expect(all.reduce((sum, answers) => sum + answers.unavailable, 0)).toBeLessThanOrEqual(1);
      await manage.stop();
      await Promise.all(ofPaused.map((asking) => asking.stop()));
      all.push(...ofPaused.map(({ answers }) => answers));
      for (const { others, statuses } of all) {
        expect(others).toEqual([]);
        for (const status of statuses.keys()) expect(["active", "ip_limit_reached"]).toContain(status);
      }
      const verdicts = all.reduce((sum, answers) => sum + answers.verdicts, 0);
      const sent = all.reduce((sum, answers) => sum + answers.all, 0);
      expect(await countedRequests(org)).toBeWithin(verdicts, sent + 1);
      for (const id of licenses) expect((await registeredIps(store, id)).length).toBeLessThanOrEqual(maxIps);
    });

    test("in a transaction locks its license for a few seconds and delays no one else", async () => {
      const { server: paused, healthy, owner, productId, apiKey, database } = nodes;
      const fields = { customer_email: "ada@example.com", max_ips: 20 };
      const create = async (more: object = {}) =>
        (await owner.api.post(`/products/${productId}/licenses`, { ...fields, ...more })).body;
      const held = await create();
      const others: { license_key: string }[] = (await create({ count: 30 })).data;
      const questions = others.map(({ license_key: key }): Question => ({ apiKey, key }));
      const url = database.location.kind === "postgres" ? database.location.url : "";
      // A change writes to the audit log last, so it now stops with the license locked.
      const log = await holdLock(url, "lock table audit_log in exclusive mode");
      const change = owner.api.patch(`/licenses/${held.id}`, { notes: "Changed" }).catch(() => null);
      await until("the change waits", () => log.isWaitedFor());
      paused.signal("SIGSTOP");
      try {
        await log.release();
        const affected = keepAsking(healthy.port, { apiKey, key: held.license_key }, "127.0.2.9");
        const answers = await ask(healthy.port, questions, { count: 300, callers: 8 });
        expect([answers.others, [...answers.statuses.keys()]]).toEqual([[], ["active"]]);
        expect(answers.unavailable).toBeLessThanOrEqual(1);
        await until("the license is free again", () => affected.answers.verdicts > 0, 30_000);
        await affected.stop();
        expect(affected.answers.unavailable).toBeGreaterThan(0);
        expect([affected.answers.others, [...affected.answers.statuses.keys()]]).toEqual([[], ["active"]]);
      } finally {
        paused.signal("SIGCONT");
      }
      await change;
    });
  });

/** Changes licenses through the node that is to be paused, so that it is paused in a transaction, too. */
async function keepChanging({ owner, productId }: ManageFixture) {
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

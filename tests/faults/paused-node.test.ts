import { expect, setDefaultTimeout, test } from "bun:test";
import type { TestedDatabase } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { withSecondNode } from "../support/nodes.ts";
import { countedRequests, registeredIps } from "../support/public-api-fixture.ts";
import { several } from "../support/query-tests.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";
import { holdLock } from "./hold-lock.ts";
import { repeat, type Subject, Traffic } from "./traffic.ts";

setDefaultTimeout(180_000);

const pauses = 2;
const callsEach = 150;
const maxIps = 4;

/** Two nodes on one database: the server of the fixture, which is paused, and one that is not. */
const openTwoNodes = async (make: TestedDatabase["make"]) => withSecondNode(await openManageFixture(make));

if (process.platform !== "win32")
  testsOn("postgres", "paused nodes", openTwoNodes, (nodes) => {
    test("a node that is paused while it works does not keep another from answering", async () => {
      const { store, server: paused, second: healthy } = nodes;
      const org = await openTestOrganization(null, { store });
      // Few licenses, so that both nodes always need the same rows.
      const subjects = await several(30, async (): Promise<Subject> => {
        const truths = ["active", "ip_limit_reached"];
        return { ...(await org.license({ maxIps })), apiKey: org.apiKey, truths };
      });
      const [ofPaused, ofHealthy] = [new Traffic(subjects), new Traffic(subjects)];
      ofPaused.start(paused.port, 30, 5, "127.0.2.10");
      // Through the node that is paused, so that it is paused in a transaction, too.
      const license = await createLicenses(nodes);
      let changes = 0;
      const change = async () => {
        const { status } = await nodes.owner.api.patch(`/licenses/${license.id}`, { notes: String(changes) });
        if (status === 200) changes += 1;
      };
      const changing = repeat(change, { atOnce: 4 });
      for (let round = 0; round < pauses; round++) {
        const enough = changes + 20;
        await until("there are changes", () => changes >= enough, 60_000);
        await paused.pause();
        try {
          await ofHealthy.send(healthy.port, callsEach, 8, `127.0.1.${10 + round * 8}`);
        } finally {
          paused.resume();
        }
      }
      expect(ofHealthy.unavailable).toBeLessThanOrEqual(1);
      await changing.stop();
      await ofPaused.stop();
      for (const { problems } of [ofPaused, ofHealthy]) expect(problems).toEqual([]);
      const verdicts = ofPaused.acknowledged + ofHealthy.acknowledged;
      expect(await countedRequests(org)).toBeWithin(verdicts, ofPaused.sent + ofHealthy.sent + 1);
      for (const { id } of subjects)
        expect((await registeredIps(store, id)).length).toBeLessThanOrEqual(maxIps);
    });

    test("a node that is paused in a transaction locks its license for a few seconds and delays no one else", async () => {
      const { server: paused, second: healthy, owner, apiKey, database } = nodes;
      const subjectOf = ({ id, license_key: key }: { id: string; license_key: string }): Subject => {
        return { id, key, apiKey, truths: ["active"] };
      };
      const held = await createLicenses(nodes);
      const others = await createLicenses(nodes, { count: 30 });
      // A change writes to the audit log last, so it now stops with the license locked.
      const log = await holdLock(
        database.environment.DATABASE_URL ?? "",
        "lock table audit_log in exclusive mode",
      );
      const change = owner.api.patch(`/licenses/${held.id}`, { notes: "Changed" }).catch(() => null);
      await until("the change waits", () => log.isWaitedFor());
      await paused.pause();
      try {
        await log.release();
        const [affected, beside] = [new Traffic([subjectOf(held)]), new Traffic(others.data.map(subjectOf))];
        affected.start(healthy.port, 1, 5, "127.0.2.9");
        await beside.send(healthy.port, 300, 8);
        expect(beside.unavailable).toBeLessThanOrEqual(1);
        await until("the license is free again", () => affected.acknowledged > 0, 30_000);
        await affected.stop();
        expect(affected.unavailable).toBeGreaterThan(0);
        expect([affected.problems, beside.problems]).toEqual([[], []]);
      } finally {
        paused.resume();
      }
      await change;
    });
  });

async function createLicenses({ owner, productId }: ManageFixture, fields: object = {}) {
  const licenses = { customer_email: "ada@example.com", max_ips: 20, ...fields };
  return (await owner.api.post(`/products/${productId}/licenses`, licenses)).body;
}

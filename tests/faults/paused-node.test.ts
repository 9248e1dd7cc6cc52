import { expect, setDefaultTimeout, test } from "bun:test";
import { postgres } from "../support/databases.ts";
import { openOffice } from "../support/office.ts";
import { countedRequests } from "../support/scene.ts";
import { openSeller } from "../support/seller.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { ask, keepAsking, type Question } from "./locked-rows.ts";

setDefaultTimeout(180_000);

const pauses = 3;
const callsEach = 400;
const maxIps = 4;

test.skipIf(process.platform === "win32")(
  "a node that is paused in the middle of its work does not keep another from answering",
  async () => {
    const office = await openOffice(postgres.make);
    const { store, server: paused } = office;
    const healthy = await startServerProcess(office.database.environment);
    const seller = await openSeller(office.database.location, { store });
    const questions: Question[] = [];
    const licenses: string[] = [];
    // Few, so that both nodes want the same rows all the time.
    for (let index = 0; index < 30; index++) {
      const { id, key } = await seller.license({ maxIps });
      licenses.push(id);
      questions.push({ apiKey: seller.apiKey, key });
    }
    const ofPaused = questions.map((question, index) =>
      keepAsking(paused.port, question, `127.0.2.${10 + index}`),
    );
    const manage = await keepChanging(office);
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
    const counted = await countedRequests(seller);
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
    await office.close();
  },
);

/** Changes licenses through the node that is paused, so that it is paused in a transaction, too. */
async function keepChanging({ owner, productId }: Awaited<ReturnType<typeof openOffice>>) {
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

import { expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { startPostgres } from "../support/postgres.ts";
import { webhooksThroughRestart, webhooksUnderKills, webhooksWithHangingEndpoints } from "./webhooks.ts";

setDefaultTimeout(300_000);

for (const { kind, make } of databases) {
  test(`no event is lost when the server is killed during delivery, on ${kind}`, async () => {
    expect(await webhooksUnderKills(make, { events: 300, kills: 3 })).toContain("none lost");
  });

  test(`endpoints that hang do not delay the others, on ${kind}`, async () => {
    const size = { endpoints: 10, events: 40, everyMs: 25, p99Ms: 30_000 };
    expect(await webhooksWithHangingEndpoints(make, size)).toContain("delivered");
  });
}

test("no event is lost when PostgreSQL is restarted during delivery", async () => {
  const postgres = await startPostgres();
  try {
    expect(await webhooksThroughRestart(postgres, { events: 400 })).toContain("none lost");
  } finally {
    await postgres.stop();
  }
});

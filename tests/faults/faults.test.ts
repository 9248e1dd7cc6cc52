import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { whyNoSmallDisk } from "../support/small-disk.ts";
import { fillTheDisk } from "./disk-full.ts";
import { managementThroughRestart, outages, postgresOutages } from "./postgres-outage.ts";
import { killUnderLoad, terminateUnderLoad } from "./server-ends.ts";
import { webhooksThroughRestart, webhooksUnderKills } from "./webhooks.ts";

setDefaultTimeout(180_000);

/** Well above the guaranteed times. The long form checks those, on an idle machine. */
const patientMs = 30_000;

describe.each(databases)("a busy server on $kind", ({ make }) => {
  test("the server loses no acknowledged write when it is killed under load", async () => {
    const size = { kills: 1, callers: 8, licenses: 20, readyWithinMs: patientMs };
    expect(await killUnderLoad(make, size)).toStartWith("1 kills");
  });

  test("the server fails no accepted request when it is terminated under load", async () => {
    const size = { rounds: 1, callers: 8, endsWithinMs: patientMs };
    expect(await terminateUnderLoad(make, size)).toStartWith("1 stops");
  });

  test("the server loses no event when it is killed during delivery", async () => {
    expect(await webhooksUnderKills(make, { events: 150, kills: 1 })).toContain("none lost");
  });
});

describe("outages of PostgreSQL", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  const possible = outages.filter((outage) => outage !== "hung" || process.platform === "linux");
  test(`callers get 503 and never a wrong verdict while PostgreSQL fails, and service recovers: ${possible.join(", ")}`, async () => {
    const size = { callers: 8, outageMs: 300, answersWithinMs: patientMs, recoversWithinMs: patientMs };
    expect(await postgresOutages(postgres, possible, size)).toContain("recovered after");
  });

  test("no event is lost when PostgreSQL is restarted during delivery", async () => {
    expect(await webhooksThroughRestart(postgres, { events: 150 })).toContain("none lost");
  });

  test("changes get 200 or 503 while PostgreSQL is restarted, and the server stops in order", async () => {
    expect(await managementThroughRestart(postgres, { restarts: 1 })).toContain("changes");
  });
});

const noSmallDisk = whyNoSmallDisk();
if (noSmallDisk !== null) process.stderr.write(`NOT TESTED: a full disk, because ${noSmallDisk}\n`);
test.skipIf(noSmallDisk !== null)(
  "a full disk admits no uncounted request, and service recovers automatically",
  async () => {
    expect(await fillTheDisk({ callers: 8, fullForMs: 300 })).toContain("told to wait");
  },
);

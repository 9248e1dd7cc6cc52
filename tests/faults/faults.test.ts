import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { whyNoSmallDisk } from "../support/small-disk.ts";
import { fillTheDisk } from "./disk-full.ts";
import { killUnderLoad } from "./kill.ts";
import { outages, postgresOutage } from "./postgres-outage.ts";
import { terminateUnderLoad } from "./terminate.ts";

setDefaultTimeout(180_000);

/** Well above the guaranteed times. The long form checks those, on an idle machine. */
const patientMs = 30_000;

for (const { kind, make } of databases) {
  test(`no acknowledged write is lost when the server is killed under load, on ${kind}`, async () => {
    const size = { kills: 2, callers: 8, licenses: 20, readyWithinMs: patientMs };
    expect(await killUnderLoad(make, size)).toStartWith("2 kills");
  });

  test(`no accepted request fails when the server is terminated under load, on ${kind}`, async () => {
    const size = { rounds: 1, callers: 8, endsWithinMs: patientMs };
    expect(await terminateUnderLoad(make, size)).toStartWith("1 stops");
  });
}

describe("PostgreSQL under load", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  for (const outage of outages) {
    test.skipIf(outage === "hung" && process.platform !== "linux")(
      `${outage}: callers get 503 and never a wrong verdict, and service recovers automatically`,
      async () => {
        const size = { callers: 8, outageMs: 1_200, answersWithinMs: patientMs, recoversWithinMs: patientMs };
        expect(await postgresOutage(postgres, outage, size)).toContain("recovered after");
      },
    );
  }
});

const noSmallDisk = whyNoSmallDisk();
if (noSmallDisk !== null) process.stderr.write(`NOT TESTED: a full disk, because ${noSmallDisk}\n`);
test.skipIf(noSmallDisk !== null)(
  "a full disk admits no uncounted request, and service recovers automatically",
  async () => {
    expect(await fillTheDisk({ callers: 8, fullForMs: 1_500 })).toContain("told to wait");
  },
);

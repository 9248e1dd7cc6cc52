import { expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { replayUnderKills } from "./replay.ts";

setDefaultTimeout(240_000);

for (const { kind, make } of databases) {
  test(`roll-ups and the request log agree exactly, however often the server is killed, on ${kind}`, async () => {
    const nodes = kind === "postgres" ? 2 : 1;
    const size = { rounds: 1, replayed: 25_000, sent: 200, nodes };
    expect(await replayUnderKills(make, size)).toContain("agree with the log");
  });
}

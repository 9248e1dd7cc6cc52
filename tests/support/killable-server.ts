import { expect } from "bun:test";
import type { TestedDatabase } from "./databases.ts";
import { manageClient } from "./manage-client.ts";
import { openManageFixture } from "./manage-fixture.ts";
import { startServerProcess } from "./server-process.ts";
import { until } from "./until.ts";

/** A server of its own, which is killed during a request and started again on the same database. */
export async function openKillableServer(make: TestedDatabase["make"]) {
  const fixture = await openManageFixture(make, { why: "is killed" });
  let { server } = fixture;
  return {
    ...fixture,
    /** Kills the server once something that the request does can be seen, before it is answered. */
    killDuring: async (request: Promise<unknown>, what: string, isSo: () => Promise<boolean>) => {
      const answer = request.catch(() => null);
      await until(what, isSo);
      server.signal("SIGKILL");
      await server.exited;
      expect(await answer).toBeNull();
    },
    /** Starts the next server, for the owner. */
    startNext: async () => {
      server = await startServerProcess(fixture.environment);
      return manageClient(server.url, fixture.owner.token);
    },
    close: async () => {
      await server.stop();
      await fixture.close();
    },
  };
}

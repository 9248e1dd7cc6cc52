import { expect } from "bun:test";
import type { TestedDatabase } from "./databases.ts";
import { type ManageClient, manageClient } from "./manage-client.ts";
import { type ManageFixture, openManageFixture } from "./manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";
import { until } from "./until.ts";

/** A server of its own, which is killed during a request and started again on the same database. */
export interface KillableServer extends ManageFixture {
  /** Kills the server once something that the request does can be seen, before it is answered. */
  killDuring(request: Promise<unknown>, what: string, isSo: () => Promise<boolean>): Promise<void>;
  /** Starts the next server, for the owner. */
  startNext(): Promise<ManageClient>;
}

export async function openKillableServer(make: TestedDatabase["make"]): Promise<KillableServer> {
  const fixture = await openManageFixture(make, { why: "is killed" });
  let server: ServerProcess = fixture.server;
  return {
    ...fixture,
    killDuring: async (request, what, isSo) => {
      const answer = request.catch(() => null);
      await until(what, isSo);
      server.signal("SIGKILL");
      await server.exited;
      expect(await answer).toBeNull();
    },
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

import { startServerProcess } from "./server-process.ts";
import type { TestServer } from "./test-server.ts";

/** A fixture with a second server on its database, which PostgreSQL allows. */
export async function withSecondNode<Fixture extends TestServer>(fixture: Fixture) {
  const second = await startServerProcess({ ...fixture.environment, PORT: "0" });
  const close = async () => {
    await second.stop();
    await fixture.close();
  };
  return { ...fixture, second, close };
}

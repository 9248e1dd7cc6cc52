import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { freshFolder } from "../support/databases.ts";
import { runCountersign, type ServerProcess, startServerProcess } from "../support/server-process.ts";

setDefaultTimeout(60_000);

const folders = Array.from({ length: 3 }, freshFolder);
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Where each server listens. Without the check, both would receive connections to the port. */
const rows: readonly (readonly [first: string, second: readonly string[]])[] = [
  ["127.0.0.1", ["127.0.0.1", "0.0.0.0", "::"]],
  ["0.0.0.0", ["127.0.0.1", "0.0.0.0", "::"]],
  ["::1", ["::1", "::"]],
  ["::", ["127.0.0.1", "::1", "::"]],
];

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);
if (!hasIpv6) process.stderr.write("NOT TESTED: ports of IPv6, which this machine does not have\n");

for (const [host, others] of rows) {
  describe.skipIf(!hasIpv6 && host.includes(":"))(`a server that listens on ${host}`, () => {
    let first: ServerProcess;
    beforeAll(async () => {
      first = await startServerProcess({ HOST: host, COUNTERSIGN_DATA: folders[0] ?? "" });
    });
    afterAll(() => first.stop());

    for (const other of others) {
      test.skipIf(!hasIpv6 && other.includes(":"))(
        `rejects a second server on ${other}, which reports the conflict`,
        async () => {
          const { code, stderr } = await runCountersign(["serve"], {
            HOST: other,
            PORT: String(first.port),
            COUNTERSIGN_DATA: folders[1] ?? "",
          });
          expect(stderr).toBe(
            `Port ${first.port} on ${other} cannot be opened: another program is using it. Set PORT to another one.\n`,
          );
          expect(code).toBe(1);
        },
      );
    }
  });
}

test("a server can reuse its port at once, while connections of the previous one are still closing", async () => {
  const environment = { COUNTERSIGN_DATA: folders[2] ?? "" };
  const first = await startServerProcess(environment);
  for (let call = 0; call < 20; call++) await (await fetch(`${first.url}/healthz`)).text();
  await first.stop();
  const second = await startServerProcess({ ...environment, PORT: String(first.port) });
  expect((await fetch(`${second.url}/healthz`)).status).toBe(200);
  await second.stop();
});

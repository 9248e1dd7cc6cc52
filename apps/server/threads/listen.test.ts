import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { openPort, type PublicParts } from "./listen.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);
if (!hasIpv6) process.stderr.write("NOT TESTED: ports of IPv6, which this machine does not have\n");

/** Only requests use them. */
const parts = {} as PublicParts;

/** Without the check, both servers would receive connections to the port. */
describe.each([
  { host: "127.0.0.1", others: ["127.0.0.1", "0.0.0.0", "::"] },
  { host: "0.0.0.0", others: ["127.0.0.1", "0.0.0.0", "::"] },
  { host: "::1", others: ["::1", "::"] },
  { host: "::", others: ["127.0.0.1", "::1", "::"] },
])("ports of servers on $host", ({ host, others }) => {
  for (const other of others)
    test.skipIf(!hasIpv6 && (host + other).includes(":"))(`${other} gets no port of ${host}`, async () => {
      const first = await openPort({ host, port: 0 }, parts);
      try {
        const second = openPort({ host: other, port: first.port }, parts);
        await expect(second).rejects.toThrow("another program is using it");
      } finally {
        await first.cut();
      }
    });
});

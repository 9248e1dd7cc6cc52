import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { databases, type TestDatabase } from "../support/databases.ts";
import { registeredIps } from "../support/public-api-fixture.ts";
import { exchange } from "../support/raw-http.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { newId, openTestOrganization, type TestOrganization } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const attacker = "203.0.113.9";
const pretended = "198.51.100.7";

/** Headers that an attacker sends, byte for byte. */
const forgeries: readonly { what: string; lines: readonly string[] }[] = [
  { what: "another IP address", lines: [`X-Forwarded-For: ${pretended}`] },
  { what: "the IP address of the proxy", lines: ["X-Forwarded-For: 127.0.0.1"] },
  { what: "a chain of trusted proxies", lines: [`X-Forwarded-For: ${pretended}, 10.0.0.1, 127.0.0.1`] },
  { what: "no IP address", lines: ["X-Forwarded-For: unknown"] },
  { what: "empty entries", lines: ["X-Forwarded-For: , ,,"] },
  { what: "a port", lines: [`X-Forwarded-For: ${pretended}:4711`] },
  { what: "IPv6 in brackets with a port", lines: ["X-Forwarded-For: [2001:db8::1]:4711"] },
  { what: "an IPv4-mapped address", lines: [`X-Forwarded-For: ::ffff:${pretended}`] },
  {
    what: "octal, hexadecimal and short forms",
    lines: ["X-Forwarded-For: 0127.0.0.1, 0x7f.1, 2130706433, 127.1"],
  },
  { what: "a thousand hops", lines: [`X-Forwarded-For: ${Array(1_000).fill("10.0.0.1").join(",")}`] },
  { what: "two headers", lines: [`X-Forwarded-For: ${pretended}`, `x-forwarded-for: ${pretended}`] },
  {
    what: "the headers of other products",
    lines: [
      `Forwarded: for=${pretended}`,
      `X-Real-IP: ${pretended}`,
      `CF-Connecting-IP: ${pretended}`,
      `True-Client-IP: ${pretended}`,
      `X-Client-IP: ${pretended}`,
      `X-Forwarded: for=${pretended}`,
    ],
  },
];

/** What trusted proxies append to the attacker's header, and the caller's real IP address. */
const settings: readonly { what: string; trusted: string; added: string | null; truth: string }[] = [
  { what: "no trusted proxy", trusted: "", added: null, truth: "127.0.0.1" },
  { what: "only unrelated proxies trusted", trusted: "10.0.0.0/8", added: null, truth: "127.0.0.1" },
  { what: "only IPv6 proxies trusted", trusted: "::1, fd00::/8", added: null, truth: "127.0.0.1" },
  { what: "one trusted proxy", trusted: "127.0.0.1", added: attacker, truth: attacker },
  {
    what: "a chain of trusted proxies",
    trusted: "127.0.0.0/8, 10.0.0.0/8",
    added: `${attacker}, 10.1.2.3`,
    truth: attacker,
  },
];

/** What a trusted proxy reports about honest callers. */
const honest: readonly { added: string | null; seen: string }[] = [
  { added: null, seen: "127.0.0.1" },
  { added: "192.0.2.44", seen: "192.0.2.44" },
  { added: "192.0.2.44:5000", seen: "192.0.2.44" },
  { added: "::ffff:192.0.2.44", seen: "192.0.2.44" },
  { added: "2001:db8:1:2:3:4:5:6", seen: "2001:db8:1:2::/64" },
  { added: "[2001:db8:1:2::9]:443", seen: "2001:db8:1:2::/64" },
  { added: "nobody", seen: "127.0.0.1" },
];

// The IP address is determined before any database access, so one database is enough.
for (const { kind, make } of databases.slice(0, 1)) {
  for (const { what: setting, trusted, added, truth } of settings) {
    describe(`with ${setting}, on ${kind}`, () => {
      let database: TestDatabase;
      let org: TestOrganization;
      let server: ServerProcess;
      beforeAll(async () => {
        database = await make();
        org = await openTestOrganization(database.location);
        server = await startServerProcess({ ...database.environment, COUNTERSIGN_TRUSTED_PROXIES: trusted });
      });
      afterAll(async () => {
        await server.stop();
        await org.store.close();
        database.remove();
      });

      const validate = async (key: string, lines: readonly string[]) => {
        const body = JSON.stringify({ license_key: key });
        const head = [
          "POST /api/v1/validate HTTP/1.1",
          "Host: test",
          `Authorization: Bearer ${org.apiKey}`,
          `Content-Length: ${body.length}`,
          ...lines,
        ];
        const answer = await exchange(server.port, `${head.join("\r\n")}\r\n\r\n${body}`);
        return JSON.parse(answer?.body ?? "{}");
      };

      for (const { what, lines } of forgeries) {
        test(`${what} in the header does not hide the caller`, async () => {
          const sent = added === null ? lines : [...lines, `X-Forwarded-For: ${added}`];
          const open = await org.license({ maxIps: 50 });
          expect(await validate(open.key, sent)).toMatchObject({ status: "active", ip_registered: true });
          expect(await registeredIps(org.store, open.id)).toEqual([truth]);

          const blocked = await org.license({ maxIps: 50 });
          const scope = {
            tier: "license",
            organizationId: org.organizationId,
            licenseId: blocked.id,
          } as const;
          await org.store.transaction((db) =>
            addIpBlocks(
              db,
              [{ id: newId(), scope, cidr: `${truth}/32`, note: null, expiresAtMs: null }],
              Date.now(),
            ),
          );
          expect(await validate(blocked.key, sent)).toMatchObject({ status: "ip_blocked", valid: false });
          expect(await registeredIps(org.store, blocked.id)).toEqual([]);
        });
      }

      if (trusted !== "127.0.0.1") return;
      for (const { added: says, seen } of honest) {
        test(`a caller whom the proxy reports as ${says ?? "nothing"} is ${seen}`, async () => {
          const { id, key } = await org.license();
          await validate(key, says === null ? [] : [`X-Forwarded-For: ${says}`]);
          expect(await registeredIps(org.store, id)).toEqual([seen]);
        });
      }
    });
  }
}

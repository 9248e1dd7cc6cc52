import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { openPublicApiFixture, registeredIps } from "../support/public-api-fixture.ts";
import { exchange } from "../support/raw-http.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const attacker = "203.0.113.9";
const pretended = "198.51.100.7";

/** Headers that an attacker sends, byte for byte. Every form of an entry is tested in packages/domain/ip/caller.test.ts. */
const forgeries: readonly (readonly [what: string, ...lines: string[]])[] = [
  ["a header with a chain of trusted proxies", `X-Forwarded-For: ${pretended}, 10.0.0.1, 127.0.0.1`],
  ["a header without an IP address", "X-Forwarded-For: unknown"],
  ["a header with a thousand hops", `X-Forwarded-For: ${Array(1_000).fill("10.0.0.1").join(",")}`],
  ["two headers", `X-Forwarded-For: ${pretended}`, `x-forwarded-for: ${pretended}`],
  [
    "the headers of other products",
    `Forwarded: for=${pretended}`,
    ...["X-Real-IP", "CF-Connecting-IP", "True-Client-IP"].map((name) => `${name}: ${pretended}`),
  ],
];

/** What the proxy appends to the attacker's header, and the caller's real IP address. */
const settings = [
  { what: "a trusted proxy", own: undefined, added: [`X-Forwarded-For: ${attacker}`], truth: attacker },
  {
    what: "no trusted proxy on the way",
    own: { why: "trusts other proxies", environment: { COUNTERSIGN_TRUSTED_PROXIES: "10.0.0.0/8, ::1" } },
    added: [],
    truth: "127.0.0.1",
  },
];

// The IP address is determined before any database access, so one database is enough.
describe.each(settings)("$what", ({ own, added, truth }) => {
  testsOn(
    "sqlite",
    "caller's IP address",
    (make) => openPublicApiFixture(make, {}, own),
    (fixture) => {
      const validate = async (key: string, lines: readonly string[]) => {
        const body = JSON.stringify({ license_key: key });
        const head = [
          "POST /api/v1/validate HTTP/1.1",
          "Host: test",
          `Authorization: Bearer ${fixture.org.apiKey}`,
          `Content-Length: ${body.length}`,
          ...lines,
        ];
        const answer = await exchange(fixture.server.port, `${head.join("\r\n")}\r\n\r\n${body}`);
        return JSON.parse(answer?.body ?? "{}");
      };

      test.each(forgeries)("the caller's IP address is not hidden by %s", async (_, ...lines) => {
        const { org, store } = fixture;
        const open = await org.license({ maxIps: 50 });
        expect(await validate(open.key, [...lines, ...added])).toMatchObject({ ip_registered: true });
        expect(await registeredIps(store, open.id)).toEqual([truth]);

        const blocked = await org.license({ maxIps: 50 });
        const { organizationId } = org;
        const scope = { tier: "license", organizationId, licenseId: blocked.id } as const;
        const block = { id: newId(), scope, cidr: `${truth}/32`, note: null, expiresAtMs: null };
        await store.transaction((db) => addIpBlocks(db, [block], Date.now()));
        expect(await validate(blocked.key, [...lines, ...added])).toMatchObject({ status: "ip_blocked" });
        expect(await registeredIps(store, blocked.id)).toEqual([]);
      });

      if (own === undefined)
        test.each([
          ["not at all", [], "127.0.0.1"],
          ["as 192.0.2.44", ["X-Forwarded-For: 192.0.2.44"], "192.0.2.44"],
          ["as an IPv6 address", ["X-Forwarded-For: 2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::/64"],
        ])("the IP address of a caller whom the proxy reports %s is registered", async (_, lines, seen) => {
          const { id, key } = await fixture.org.license();
          await validate(key, lines);
          expect(await registeredIps(fixture.store, id)).toEqual([seen]);
        });
    },
  );
});

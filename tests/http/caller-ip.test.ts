import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { sqlite } from "../support/databases.ts";
import { openPublicApiFixture, type PublicApiFixture, registeredIps } from "../support/public-api-fixture.ts";
import { exchange } from "../support/raw-http.ts";
import { newId } from "../support/test-organization.ts";

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

/**
 * What the proxy appends to the attacker's header, and the caller's real IP address. All other settings and headers are
 * tested in packages/domain/ip/caller.test.ts.
 */
const settings = [
  { what: "a trusted proxy", own: undefined, added: attacker, truth: attacker },
  {
    what: "no trusted proxy on the way",
    own: { why: "trusts other proxies", environment: { COUNTERSIGN_TRUSTED_PROXIES: "10.0.0.0/8, ::1" } },
    added: null,
    truth: "127.0.0.1",
  },
];

/** What a trusted proxy reports about honest callers. */
const honest: readonly { reported: string | null; seen: string }[] = [
  { reported: null, seen: "127.0.0.1" },
  { reported: "192.0.2.44", seen: "192.0.2.44" },
  { reported: "192.0.2.44:5000", seen: "192.0.2.44" },
  { reported: "::ffff:192.0.2.44", seen: "192.0.2.44" },
  { reported: "2001:db8:1:2:3:4:5:6", seen: "2001:db8:1:2::/64" },
  { reported: "[2001:db8:1:2::9]:443", seen: "2001:db8:1:2::/64" },
  { reported: "nobody", seen: "127.0.0.1" },
];

// The IP address is determined before any database access, so one database is enough.
describe.each(settings)("with $what", ({ own, added, truth }) => {
  let fixture: PublicApiFixture;
  beforeAll(async () => {
    fixture = await openPublicApiFixture(sqlite.make, {}, own);
  });
  afterAll(() => fixture.close());

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

  test.each(forgeries)("$what in the header does not hide the caller", async ({ lines }) => {
    const { org, store } = fixture;
    const sent = added === null ? lines : [...lines, `X-Forwarded-For: ${added}`];
    const open = await org.license({ maxIps: 50 });
    expect(await validate(open.key, sent)).toMatchObject({ status: "active", ip_registered: true });
    expect(await registeredIps(store, open.id)).toEqual([truth]);

    const blocked = await org.license({ maxIps: 50 });
    const scope = { tier: "license", organizationId: org.organizationId, licenseId: blocked.id } as const;
    const block = { id: newId(), scope, cidr: `${truth}/32`, note: null, expiresAtMs: null };
    await store.transaction((db) => addIpBlocks(db, [block], Date.now()));
    expect(await validate(blocked.key, sent)).toMatchObject({ status: "ip_blocked", valid: false });
    expect(await registeredIps(store, blocked.id)).toEqual([]);
  });

  if (added === null) return;
  test.each(honest)("a caller whom the proxy reports as $reported is $seen", async ({ reported, seen }) => {
    const { id, key } = await fixture.org.license();
    await validate(key, reported === null ? [] : [`X-Forwarded-For: ${reported}`]);
    expect(await registeredIps(fixture.store, id)).toEqual([seen]);
  });
});

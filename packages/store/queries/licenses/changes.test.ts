import { expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { addIpBlocks } from "../ip-blocks/blocks.ts";
import { addPortalAction } from "../portal/licenses.ts";
import * as changes from "./changes.ts";
import { type NewLicense, registerIp } from "./create.ts";
import * as views from "./views.ts";

const { addingTags, deleting, extending, removingTags, revoking, settingExpiry } = changes;

/** Before any change that was made, as on a server whose clock is slow. */
const nowMs = Date.UTC(2020, 0, 1);
const endMs = nowMs + hourMs;

const settings: Record<string, Partial<NewLicense>> = {
  lifetime: { maxIps: 9, tags: ["kept", "old"] },
  running: { expiresAtMs: endMs, tags: ["old"] },
  expired: { expiresAtMs: nowMs - 1 },
  term: { termMs: 60_000 },
  started: { termMs: 60_000, firstUsedAtMs: nowMs, expiresAtMs: endMs },
  revoked: { revokedAtMs: 7, revokedReason: "First" },
};
const every = Object.keys(settings);
const but = (...names: string[]) => every.filter((name) => !names.includes(name));

onBothDatabases("changes of licenses", (fixture) => {
  const related = { addIpBlocks, addPortalAction, registerIp };
  const { read, write } = fixture.queries({ ...changes, ...views, ...related });
  /** One of each, and one that no change is asked for. The first has two IP addresses. */
  const licenses = async () => {
    const org = await fixture.organization();
    const ids = new Map<string, string>();
    for (const [name, values] of Object.entries(settings)) ids.set(name, (await org.license(values)).id);
    const other = (await org.license({ tags: ["old"] })).id;
    for (const ip of ["203.0.113.1", "203.0.113.2"])
      for (const id of [ids.get("lifetime") ?? "", other]) await write.registerIp(id, ip, nowMs);
    const nameOf = ({ id }: views.LicenseView) => [...ids].find(([, known]) => known === id)?.[0] ?? "other";
    return { org, ids: [...ids.values()], other, nameOf };
  };

  const expiry = (expires_at: number | null) =>
    ({ expires_at, is_lifetime: expires_at === null ? 1 : 0, term_ms: null }) as const;
  const rows: [
    what: string,
    change: changes.LicenseChange,
    affected: string[],
    after: Partial<views.LicenseView>,
  ][] = [
    ["revoking", revoking("Leaked", nowMs), but("revoked"), { revoked_at: nowMs, revoked_reason: "Leaked" }],
    ["reinstating", changes.reinstating(nowMs), ["revoked"], { revoked_at: null, revoked_reason: null }],
    ["another IP limit", changes.settingMaxIps(9, nowMs), but("lifetime"), { max_ips: 9 }],
    ["another expiry", settingExpiry(endMs, nowMs), but("running", "started"), expiry(endMs)],
    ["no expiry", settingExpiry(null, nowMs), but("lifetime", "revoked"), expiry(null)],
    ["a reset of IP addresses", changes.resettingIps(nowMs), ["lifetime"], { ip_count: 0 }],
    [
      "new tags, up to a limit,",
      addingTags(["old", "new"], 2, nowMs),
      but("lifetime"),
      { tags: ["new", "old"], search_text: expect.stringContaining("new\nold") },
    ],
    [
      "fewer tags",
      removingTags(["old", "new"], nowMs),
      ["lifetime", "running"],
      { tags: expect.not.arrayContaining(["old"]), search_text: expect.not.stringContaining("old") },
    ],
  ];
  test.each(rows)("%s changes licenses that are not so yet, once", async (what, change, affected, after) => {
    const { ids, other, nameOf } = await licenses();
    const before = await read.licenseViews([...ids, other]);
    const written = await fixture.write(async (db) => {
      const chosen = await change.affected(db, before.slice(0, -1));
      expect(chosen.map(nameOf)).toEqual(affected);
      return change.apply(db, chosen);
    });
    const now = await read.licenseViews([...ids, other]);
    const changed = now.filter((license) => affected.includes(nameOf(license)));
    expect(written).toEqual(changed);
    for (const license of changed) {
      const { updated_at: editedMs = 0, ips_updated_at: ipsMs = 0 } =
        before.find(({ id }) => id === license.id) ?? {};
      // Later than anything shown before, whatever the clock says. Lost IP addresses are no edit.
      const times = what.includes("IP addresses")
        ? { updated_at: editedMs, ips_updated_at: ipsMs + 1 }
        : { updated_at: Math.max(editedMs, ipsMs) + 1, ips_updated_at: ipsMs };
      expect(license).toMatchObject({ ...after, ...times });
    }
    expect(now.filter((license) => !changed.includes(license))).toEqual(
      before.filter((license) => !affected.includes(nameOf(license))),
    );
    expect(await change.affected(fixture.reads, now.slice(0, -1))).toEqual([]);
  });

  test("an extension starts at the expiry or now, lengthens a term, and does not change lifetime licenses", async () => {
    const { ids, nameOf } = await licenses();
    const change = extending({ ms: 1_000 }, nowMs);
    const written = await fixture.write(async (db) =>
      change.apply(db, await change.affected(db, await views.licenseViews(db, ids))),
    );
    expect(written).toEqual(await read.licenseViews(idsOf(written)));
    const ends = written.map((license) => [nameOf(license), license.expires_at, license.term_ms]);
    expect(ends.sort()).toEqual([
      ["expired", nowMs + 1_000, null],
      ["running", endMs + 1_000, null],
      ["started", endMs + 1_000, 60_000],
      ["term", null, 61_000],
    ]);
  });

  test("a deletion removes everything that belongs to the license, and nothing of another", async () => {
    const { org, ids, other } = await licenses();
    const [first = ""] = ids;
    const { organizationId } = org;
    const block = { cidr: "203.0.113.0/24", note: null, expiresAtMs: null };
    for (const licenseId of [first, other]) {
      const scope = { tier: "license", organizationId, licenseId } as const;
      await write.addIpBlocks([{ ...block, id: newId(), scope }], 1);
      const action = { id: newId(), license_id: licenseId, action: "ip_removed", count: 1, at: 1 } as const;
      await write.addPortalAction(action);
      const ended = { license_id: licenseId, type: "license.expired", ends_at: 1 } as const;
      await fixture.write((db) => db.insertInto("recorded_expiries").values(ended).execute());
      await fixture.write((db) =>
        db.insertInto("unannounced_expiries").values({ license_id: licenseId }).execute(),
      );
    }
    const rowsOf = async (id: string) => {
      const found: object[][] = [await fixture.rows("ip_blocks", { scope_id: id })];
      for (const table of [
        "license_ips",
        "license_tags",
        "recorded_expiries",
        "unannounced_expiries",
        "portal_actions",
      ] as const)
        found.push(await fixture.rows(table, { license_id: id }));
      return [...found, await fixture.rows("licenses", { id })].map((rows) => rows.length);
    };
    const kept = await rowsOf(other);
    expect(kept).not.toContain(0);
    const change = deleting();
    await fixture.write(async (db) => {
      const all = await views.licenseViews(db, ids);
      expect(await change.affected(db, all)).toEqual(all);
      expect(await change.apply(db, all)).toEqual([]);
    });
    expect(await rowsOf(first)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(await rowsOf(other)).toEqual(kept);
  });

  test("a change of one license writes its columns and, if given, its tags, and can be searched for", async () => {
    const { ids, nameOf } = await licenses();
    const [before] = await read.licenseViews(ids);
    if (before === undefined) throw new Error("The first license exists.");
    const change = (columns: object, tags: readonly string[] | null) =>
      write.changeLicense(before, columns, tags, nowMs);
    const [noted] = await change({ notes: "Paid" }, null);
    expect(noted).toMatchObject({ notes: "Paid", tags: ["kept", "old"], max_ips: 9 });
    expect(noted?.search_text).toEndWith("paid\nkept\nold");
    const [tagged] = await change({ license_key: "Renamed-Key" }, ["new"]);
    expect(tagged).toMatchObject({ notes: "Paid", tags: ["new"], search_text: "renamedkey\npaid\nnew" });
    expect(tagged?.updated_at).toBe((noted?.updated_at ?? 0) + 1);
    const others = (await read.licenseViews(ids)).filter((license) => nameOf(license) !== "lifetime");
    expect(others.map(({ notes }) => notes)).toEqual(others.map(() => null));
  });

  test("a change of no licenses writes nothing", async () => {
    const tags = [addingTags(["x"], 2, nowMs), removingTags(["x"], nowMs)];
    for (const change of [revoking(null, nowMs), extending({ ms: 1 }, nowMs), deleting(), ...tags])
      expect(await fixture.write((db) => change.apply(db, []))).toEqual([]);
  });
});

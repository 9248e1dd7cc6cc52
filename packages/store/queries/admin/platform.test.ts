import { expect, test } from "bun:test";
import { emailRow, waitingEmailRow } from "../../../../tests/support/emails.ts";
import { idsOf, onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { watched } from "../../../../tests/support/watched-queries.ts";
import { times } from "../../suite/calls.ts";
import type { OrganizationRow } from "../../tables/organizations.ts";
import * as outbox from "../mail/outbox.ts";
import { addWaitingEmails } from "../mail/waiting-emails.ts";
import { createOrganization } from "../organizations/organizations.ts";
import * as platform from "./platform.ts";
import * as users from "./users.ts";

type Row = { readonly createdAt: number; readonly id: string };

/** Later than the rows of any other test. */
const futureMs = Date.UTC(2120, 0);

onBothDatabases("queries about the whole installation", (fixture) => {
  const queries = { ...outbox, ...platform, ...users, addWaitingEmails, createOrganization };
  const { read, write } = fixture.queries(queries);
  const add = async (slug: string, createdAtMs: number, changes: Partial<OrganizationRow> = {}) => {
    const id = newId();
    await write.createOrganization({ id, name: "Acme", slug, plan: "free" }, createdAtMs);
    await fixture.change("organizations", id, { deleted_at: null, ...changes });
    return id;
  };

  test("an organization is read with its owner's name and email address, unless it is deleted", async () => {
    const owner = await fixture.user({ name: "Ada" });
    const owned = await add(newId(), 0, { owner_id: owner.id });
    const [free, deleted] = [await add(newId(), 0), await add(newId(), 0, { deleted_at: 1 })];
    const withOwner = (id: string) => read.organizationWithOwner(id);
    expect(await withOwner(owned)).toMatchObject({ id: owned, owner_name: "Ada", owner_email: owner.email });
    expect(await withOwner(free)).toMatchObject({ id: free, owner_name: null, owner_email: null });
    expect(await withOwner(deleted)).toBeUndefined();
  });

  const lists = [
    {
      what: "organizations",
      /** Also one that is deleted. */
      add: async (slug: string, createdAtMs: number) => {
        await add(`${slug}-deleted`, createdAtMs, { deleted_at: 1 });
        return add(slug, createdAtMs);
      },
      newest: (after: Row | null) => read.allOrganizations({ after, limit: 2 }),
      startingWith: read.organizationsStartingWith,
    },
    {
      what: "users",
      add: async (email: string, createdAtMs: number) => {
        const { id } = await fixture.user();
        await write.updateUser(id, { email, created_at: new Date(createdAtMs).toISOString() });
        return id;
      },
      newest: (row: Row | null) => {
        const after = row && { ...row, createdAt: new Date(row.createdAt).toISOString() };
        return read.allUsers({ after, limit: 2 });
      },
      startingWith: read.usersStartingWith,
    },
  ];

  test.each(lists)(
    "$what are listed newest first, also across pages that end between equal times",
    async (list) => {
      const [first, second] = await several(2, () => list.add(newId(), futureMs));
      const last = await list.add(newId(), futureMs + 1);
      expect(idsOf(await list.newest(null))).toEqual([last, second]);
      const [next, older] = await list.newest({ createdAt: futureMs, id: second });
      expect(next?.id).toBe(first);
      expect(new Date(older?.created_at ?? 0).getTime()).toBeLessThan(futureMs);
    },
  );

  test.each(lists)("$what are found by the beginning of their text, in its order", async (list) => {
    const prefix = `p${newId()}`;
    const [b, a, odd] = [
      await list.add(`${prefix}-b`, 0),
      await list.add(`${prefix}-a`, 0),
      await list.add(`${prefix}%_`, 0),
    ];
    await list.add(`q${prefix}`, 0);
    const find = async (text: string, after: string | null = null, limit = 10) => {
      const position = after === null ? null : { text: after, id: "" };
      return idsOf(await list.startingWith(text, position, limit));
    };
    expect((await find(prefix)).sort()).toEqual([a, b, odd].sort());
    expect(await find(`${prefix}-`)).toEqual([a, b]);
    expect(await find(`${prefix}-`, null, 1)).toEqual([a]);
    expect(await find(`${prefix}-`, `${prefix}-a`)).toEqual([b]);
    expect(await find(`${prefix}%`)).toEqual([odd]);
    expect(await find(`${prefix}_`)).toEqual([]);
  });

  test("what an organization has is counted without deleted and other organizations' rows, up to a limit", async () => {
    const { organizationId: id, product } = await fixture.organization();
    const { productId } = await product();
    await product();
    await fixture.member(id);
    const waiting = times(4, () => waitingEmailRow({ organization_id: id }));
    await fixture.change("products", productId, { deleted_at: 1 });
    await write.addWaitingEmails(waiting);
    const count = (table: Parameters<typeof platform.countIn>[1], most = 100) =>
      read.countIn(table, id, most);
    const counts = [await count("products"), await count("members"), await count("waiting_emails")];
    expect(counts).toEqual([2, 1, 4]);
    expect([await count("products", 1), await count("waiting_emails", 3)]).toEqual([1, 3]);
    const { organizationId: other } = await fixture.organization();
    expect(await read.countIn("members", other, 100)).toBe(0);
  });

  test("everything is counted without what is deleted, up to a limit", async () => {
    const tables = ["organizations", "products", "users"] as const;
    const counts = () => Promise.all(tables.map((table) => read.countAll(table, 1_000_000)));
    const [organizations = 0, products = 0, users = 0] = await counts();
    await fixture.user();
    const { product } = await fixture.organization();
    const { productId } = await product();
    await add(newId(), 0, { deleted_at: 1 });
    await fixture.change("products", productId, { deleted_at: 1 });
    expect(await counts()).toEqual([organizations + 1, products + 1, users + 1]);
    expect(await read.countAll("users", 1)).toBe(1);
  });

  test("emails that were not sent are counted, also those that are given up", async () => {
    const before = await read.countUnsentEmails();
    const emails = [{}, { next_attempt_at: null }, { sent_at: 1, next_attempt_at: null }];
    await write.addEmails(emails.map(emailRow));
    expect(await read.countUnsentEmails()).toBe(before + 2);
  });

  test("the time of the last request is that of the latest log entry", async () => {
    const { organizationId, productId } = await fixture.organization();
    const entry = { organization_id: organizationId, product_id: productId };
    const lastMs = Math.max(Date.now(), (await read.lastRequestAt()) ?? 0) + 60_000;
    await fixture.log([lastMs, lastMs - 60_000].map((at) => ({ ...entry, at })));
    expect(await read.lastRequestAt()).toBe(lastMs);
  });

  test("a user's organizations are those they own or belong to, without deleted ones", async () => {
    const organizationOf = async (ownerId: string, deletedAt: number | null = null) => {
      const { organizationId: id } = await fixture.organization();
      await fixture.change("organizations", id, { owner_id: ownerId, deleted_at: deletedAt });
      return id;
    };
    const other = await fixture.user();
    const joined = await organizationOf(other.id);
    const user = await fixture.member(joined);
    const owned = await organizationOf(user.id);
    await fixture.member(owned);
    await organizationOf(other.id);
    await organizationOf(user.id, 1);
    const found = await read.organizationsOfUser(user.id, 10);
    expect(found.map(({ id, owner_id }) => [id, owner_id])).toEqual([
      [joined, other.id],
      [owned, user.id],
    ]);
    expect(idsOf(await read.organizationsOfUser(user.id, 1))).toEqual([joined]);
    const { store, plans } = watched(fixture.store);
    await users.organizationsOfUser(store.reads, user.id, 10);
    for (const { text, plan } of await plans())
      if (fixture.kind === "sqlite")
        expect([text, plan]).toEqual([text, expect.not.stringMatching(/SCAN (?:organizations|members)/)]);
  });

  test("a change affects one user, who can be locked as they are now", async () => {
    const [user, other] = [await fixture.user(), await fixture.user()];
    await write.updateUser(user.id, { suspension_reason: "Abuse", suspended_at: 5 });
    const locked = (id: string) => write.lockedUser(id);
    expect(await locked(user.id)).toMatchObject({ id: user.id, suspension_reason: "Abuse", suspended_at: 5 });
    expect(await locked(other.id)).toMatchObject({ id: other.id, suspended_at: null });
    expect(await locked(newId())).toBeUndefined();
  });

  test("there is another platform admin only if another user is one and is not suspended", async () => {
    await fixture.write((db) => db.updateTable("users").set({ is_platform_admin: 0 }).execute());
    const [admin, other] = [await fixture.user({ admin: true }), await fixture.user()];
    const exists = () => read.anotherPlatformAdminExists(admin.id);
    expect(await exists()).toBe(false);
    await write.updateUser(other.id, { is_platform_admin: 1 });
    expect(await exists()).toBe(true);
    await write.updateUser(other.id, { suspended_at: 5 });
    expect(await exists()).toBe(false);
  });
});

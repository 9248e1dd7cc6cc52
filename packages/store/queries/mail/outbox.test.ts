import { beforeEach, expect, test } from "bun:test";
import { emailRow, openedEmails } from "../../../../tests/support/emails.ts";
import { idsOf, onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import type { OutboxRow } from "../../tables/platform.ts";
import * as outbox from "./outbox.ts";

const nowMs = Date.UTC(2030, 5, 1);
const dayMs = 86_400_000;

onBothDatabases("the outbox", (fixture) => {
  const { read, write } = fixture.queries(outbox);
  // It belongs to the whole installation.
  beforeEach(() => fixture.write((db) => db.deleteFrom("outbox").execute()));

  const add = async (...emails: Partial<OutboxRow>[]): Promise<string[]> => {
    const due = { created_at: nowMs, next_attempt_at: nowMs };
    const rows = emails.map((settings) => emailRow({ ...due, ...settings }));
    await write.addEmails(rows);
    return idsOf(rows);
  };
  const stored = async (id = "") => fixture.row("outbox", { id });
  const claim = (atMs = nowMs) => write.claimEmail(atMs, nowMs - dayMs, nowMs + dayMs);

  test("the contents of an email are encrypted, and erased once it was sent", async () => {
    const contents = { body_text: "A secret", body_html: "<p>A secret</p>", reply_to: "ada@example.com" };
    const [id = ""] = await add({ ...contents, failure: "{}" });
    expect(JSON.stringify(await stored(id))).not.toContain("secret");
    expect(await read.emailById(id)).toMatchObject(contents);
    await write.emailWasSent(id, nowMs);
    const sent = { sent_at: nowMs, failure: null, next_attempt_at: null };
    expect(await stored(id)).toMatchObject({ ...sent, sealed_body: null });
    expect(await read.emailById(id)).toMatchObject({ body_text: "", body_html: null, reply_to: null });
    expect(await read.emailById(newId())).toBeUndefined();
  });

  test("one of the emails with the same key is stored, even if written at the same time, and all without a key", async () => {
    await add({ dedupe_key: "a" }, { dedupe_key: "a" });
    await Promise.all(times(4, () => add({ dedupe_key: "b" })));
    await add({ dedupe_key: "a" }, { dedupe_key: "c" });
    await add(...times(201, () => ({})));
    const keys = (await openedEmails(fixture.store)).map((email) => email.dedupe_key ?? "-");
    expect(keys.sort()).toEqual([...Array(201).fill("-"), "a", "b", "c"]);
  });

  test("a key is found with the state of its email, and can be used again once it is free", async () => {
    const [id] = await add({ dedupe_key: "a" });
    const waiting = { recipient: "ada@example.com", sent_at: null, next_attempt_at: nowMs, failure: null };
    expect(await read.emailByKey("a")).toEqual({ id: id ?? "", created_at: nowMs, ...waiting });
    await write.freeEmailKey("a");
    expect(await read.emailByKey("a")).toBeUndefined();
    const [second] = await add({ dedupe_key: "a" });
    expect((await read.emailByKey("a"))?.id).toBe(second ?? "");
    expect(await openedEmails(fixture.store)).toHaveLength(2);
  });

  test("emails are listed newest first, by kind, recipient and page, without their contents", async () => {
    const ids = await add({}, { kind: "reset" }, { recipient: "bob@example.com" }, { kind: "reset" });
    const list = async (filter: object, page: object = {}) => {
      const all = { kind: null, recipient: null, ...filter };
      const rows = await read.emails(all, { beforeId: null, limit: 10, ...page });
      expect(rows.every((row) => !("sealed_body" in row))).toBeTrue();
      return rows.map(({ id }) => ids.indexOf(id));
    };
    expect(await list({})).toEqual([3, 2, 1, 0]);
    expect(await list({ kind: "reset" })).toEqual([3, 1]);
    expect(await list({ recipient: "bob@example.com" })).toEqual([2]);
    expect(await list({ kind: "reset", recipient: "bob@example.com" })).toEqual([]);
    expect(await list({}, { limit: 2 })).toEqual([3, 2]);
    expect(await list({}, { beforeId: ids[2], limit: 2 })).toEqual([1, 0]);
  });

  test.each<[what: string, is: "claimed" | "not claimed", email: Partial<OutboxRow>]>([
    ["that is due", "claimed", {}],
    ["to a customer that is due", "claimed", { is_bulk: 1 }],
    ["with a later attempt", "not claimed", { next_attempt_at: nowMs + 1 }],
    ["without a further attempt", "not claimed", { next_attempt_at: null }],
    ["that is a day old", "not claimed", { created_at: nowMs - dayMs }],
  ])("an email %s is %s", async (_what, is, email) => {
    const isDue = is === "claimed";
    const [id] = await add(email);
    expect(await read.anyEmailIsDue(nowMs, nowMs - dayMs)).toBe(isDue);
    expect((await claim())?.id).toBe(isDue ? id : undefined);
  });

  test("the email that has waited longest is claimed first, and those to customers last", async () => {
    const bulk = { is_bulk: 1, next_attempt_at: nowMs - 5 } as const;
    const ids = await add(bulk, { next_attempt_at: nowMs - 1 }, { next_attempt_at: nowMs - 2 });
    const claimed = await several(4, () => claim());
    expect(claimed.map((email) => email?.id)).toEqual([ids[2], ids[1], ids[0], undefined]);
    expect(claimed[0]).toMatchObject({ attempts: 1, next_attempt_at: nowMs + dayMs });
    expect((await claim(nowMs + dayMs))?.attempts).toBe(2);
  });

  test("an email is claimed by one of the nodes that try at the same time", async () => {
    for (let round = 0; round < 5; round++) {
      await add({});
      const claimed = await Promise.all(times(6, () => claim()));
      expect(claimed.filter((email) => email !== undefined)).toHaveLength(1);
    }
  });

  test("a failure is stored with the next attempt, unless the email was sent or claimed again", async () => {
    await add({});
    const first = await claim();
    if (first === undefined) throw new Error("No email is due.");
    const fail = (claimed: Pick<OutboxRow, "id" | "next_attempt_at">, next: number | null) =>
      write.emailFailed(claimed, "{}", next);
    await fail({ ...first, next_attempt_at: nowMs + 5 }, null);
    expect(await stored(first.id)).toMatchObject(first);
    await fail(first, nowMs + 10);
    expect(await stored(first.id)).toMatchObject({ ...first, failure: "{}", next_attempt_at: nowMs + 10 });
    await write.emailWasSent(first.id, nowMs);
    await fail({ id: first.id, next_attempt_at: null }, nowMs + 20);
    expect(await stored(first.id)).toMatchObject({ failure: null, next_attempt_at: null });
  });
});

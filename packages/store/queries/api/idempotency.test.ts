import { expect, test } from "bun:test";
import { insertToken } from "../../../../tests/support/people-rows.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import type { IdempotencyKeyRow } from "../../tables/platform.ts";
import * as queries from "../api/idempotency.ts";

onBothDatabases("stored responses", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const rowOf = (columns: Partial<IdempotencyKeyRow> = {}): IdempotencyKeyRow => ({
    ...{ actor_id: newId(), idempotency_key: "key", fingerprint: "fingerprint", status: 201 },
    ...{ sealed_answer: "first", created_at: Date.now(), ...columns },
  });
  const add = (row: IdempotencyKeyRow) => write.storeNew(row);
  const answerOf = async ({ actor_id: actorId, idempotency_key: key }: IdempotencyKeyRow) =>
    (await read.storedAnswer(actorId, key))?.sealed_answer;

  test("the first of concurrent requests with one key stores its response, and other actors have their own", async () => {
    const row = rowOf();
    const answers = ["1", "2", "3", "4"].map((sealed_answer) => add({ ...row, sealed_answer }));
    const results = await Promise.all(answers);
    expect(results.filter((isStored) => isStored)).toHaveLength(1);
    expect(await answerOf(row)).toBe(`${results.indexOf(true) + 1}`);
    expect(await add({ ...row, actor_id: newId() })).toBe(true);
    expect(await answerOf({ ...row, idempotency_key: "other" })).toBeUndefined();
  });

  test.each([
    ["replaces what is stored", {}, "first", true],
    ["does not replace what has changed in the meantime", {}, "older", false],
    ["does not replace that of another request", { fingerprint: "other" }, "first", false],
    ["does not replace that of another key", { idempotency_key: "other" }, "first", false],
  ])("a later step of a request %s", async (_, columns, before, isStored) => {
    const row = rowOf();
    await add(row);
    const next = { ...row, ...columns, status: 200, sealed_answer: "second" };
    expect(await write.storeOver(next, before)).toBe(isStored);
    expect(await answerOf(row)).toBe(isStored ? "second" : "first");
  });

  test("responses for an organization's own tokens are removed with it, and no others", async () => {
    const rows: IdempotencyKeyRow[] = [];
    const [own, other] = [await fixture.organization(), await fixture.organization()];
    for (const holder of [own, other, { userId: (await fixture.user()).id }]) {
      const actor_id = await fixture.write((db) => insertToken(db, holder));
      rows.push(rowOf({ actor_id }), rowOf({ actor_id, idempotency_key: "second" }));
    }
    for (const row of rows) await add(row);
    const removeSome = (atMost: number) => write.removeAnswersOfTokens(own.organizationId, atMost);
    expect([await removeSome(1), await removeSome(10), await removeSome(10)]).toEqual([1, 1, 0]);
    expect(await Promise.all(rows.map(answerOf))).toEqual([undefined, undefined, ...Array(4).fill("first")]);
  });
});

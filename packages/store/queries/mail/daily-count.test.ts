import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import * as queries from "./waiting-emails.ts";
import { countEmails, lockedEmailCount } from "./waiting-emails.ts";

const today = 20_000;

onBothDatabases("the daily count of emails", (fixture) => {
  const { read } = fixture.queries(queries);
  const count = (senderId: string, more: number, day = today) =>
    fixture.write(async (db) => {
      const used = await lockedEmailCount(db, senderId, "customers", day);
      await countEmails(db, senderId, "customers", more);
      return used;
    });
  const used = (senderId: string, day = today) => read.emailCount(senderId, "customers", day);

  test("emails of a day add up, separately for each sender and kind of recipient", async () => {
    const [sender, other] = [newId(), newId()];
    expect([await used(sender), await count(sender, 3)]).toEqual([0, 0]);
    expect(await count(sender, 0)).toBe(3);
    expect(await count(other, 1)).toBe(0);
    expect(await used(sender)).toBe(3);
    expect(await read.emailCount(sender, "invited", today)).toBe(0);
  });

  test("the count starts again with the next day, and not with a clock that is behind", async () => {
    const sender = newId();
    await count(sender, 5);
    expect(await used(sender, today + 1)).toBe(0);
    expect(await count(sender, 2, today + 1)).toBe(0);
    expect(await count(sender, 1, today)).toBe(2);
    expect(await used(sender, today + 1)).toBe(3);
    expect(await used(sender, today)).toBe(3);
  });

  test("concurrent transactions count no more emails than are allowed", async () => {
    const sender = newId();
    const takeOne = () =>
      fixture.write(async (db) => {
        const isFree = (await lockedEmailCount(db, sender, "customers", today)) < 3;
        await countEmails(db, sender, "customers", isFree ? 1 : 0);
        return isFree;
      });
    const taken = await Promise.all(times(8, takeOne));
    expect(taken.filter(Boolean)).toHaveLength(3);
    expect(await used(sender)).toBe(3);
  });
});

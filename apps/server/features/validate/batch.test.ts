import { expect, test } from "bun:test";
import type { CallResult } from "@countersign/store/batches/calls";
import { validate } from "@countersign/store/suite/calls";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { Batcher } from "./batch.ts";

onDatabase("postgres", "a batch with a call that waits for a locked row", (fixture) => {
  test("the use of its API key is reported once it is answered, and not before", async () => {
    const { apiKey, license } = await fixture.organization();
    const { id, key } = await license();
    const used: string[] = [];
    const isBatchDone = Promise.withResolvers<void>();
    const batcher = new Batcher(fixture.store, {
      batchDone: () => isBatchDone.resolve(),
      batchFailed: () => {},
      keyUsed: (publicId) => used.push(publicId),
    });
    const call = validate(apiKey, key);
    const answered = Promise.withResolvers<CallResult>();
    const unlocked = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = fixture.write(async (db) => {
      await db.selectFrom("licenses").select("id").where("id", "=", id).forUpdate().execute();
      locked.resolve();
      await unlocked.promise;
    });
    await locked.promise;
    batcher.submit({ ...call, span: null, finish: answered.resolve, failed: answered.reject });
    await isBatchDone.promise;
    expect(used).toEqual([]);
    unlocked.resolve();
    await holding;
    expect((await answered.promise).tag).toBe("validated");
    expect(used).toEqual([call.apiKey.publicId]);
  });
});

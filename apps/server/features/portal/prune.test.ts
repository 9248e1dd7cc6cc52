import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { newId } from "@countersign/store/new-id";
import { addPortalAction, portalActions } from "@countersign/store/queries/portal/actions";
import { addPortalCode } from "@countersign/store/queries/portal/codes";
import { portalSessionById } from "@countersign/store/queries/portal/sessions";
import { addPortalPerson } from "../../../../tests/support/portal-rows.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { neverAborted } from "../../jobs/in-batches.ts";
import { portalActionPruning } from "./prune-actions.ts";
import { portalPruning } from "./prune-expired.ts";

onBothDatabases("pruning in the portal", (fixture) => {
  test("expired codes and sessions are removed, and others stay", async () => {
    const nowMs = Date.now();
    const sessionOf = async () => (await addPortalPerson(fixture.store, { emails: [newId()] })).sessionId;
    const sessions = [await sessionOf(), await sessionOf()];
    const codes = [newId(), newId()];
    await fixture.write(async (db) => {
      await db
        .updateTable("portal_sessions")
        .set({ expires_at: nowMs - 60_000 })
        .where("id", "=", sessions[0] ?? "")
        .execute();
      for (const [at, id] of codes.entries())
        await addPortalCode(db, {
          id,
          email: "ada@example.com",
          email_hash: newId(),
          person_id: null,
          code_hash: "",
          link_hash: newId(),
          challenge_hash: "",
          created_at: nowMs,
          expires_at: nowMs + (at === 0 ? -60_000 : 60_000),
        });
    });
    await portalPruning(fixture.store).run(neverAborted);
    const left = await fixture.reads
      .selectFrom("portal_codes")
      .select("id")
      .where("id", "in", codes)
      .execute();
    expect(left.map(({ id }) => id)).toEqual(codes.slice(1));
    const found = await Promise.all(sessions.map((id) => portalSessionById(fixture.reads, id)));
    expect(found.map((session) => session !== undefined)).toEqual([false, true]);
  });

  test("what customers did themselves is removed once it counts for no budget, after 30 days", async () => {
    const { id } = await (await fixture.organization()).license();
    const nowMs = Date.now();
    const ages = [30 * dayMs + 60_000, 30 * dayMs - 60_000];
    await fixture.write(async (db) => {
      for (const age of ages)
        await addPortalAction(db, {
          id: newId(),
          license_id: id,
          action: "ip_removed",
          count: 1,
          at: nowMs - age,
        });
    });
    await portalActionPruning(fixture.store).run(neverAborted);
    expect(await portalActions(fixture.reads, id, "ip_removed", 0)).toEqual([
      { atMs: nowMs - (ages[1] ?? 0), count: 1 },
    ]);
  });
});

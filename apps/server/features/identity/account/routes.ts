import * as contract from "@countersign/contract/manage/account";
import { endOtherSessions, endSession, sessionsOf } from "@countersign/store/queries/identity/sign-in";
import { lockedUser, updateUser } from "@countersign/store/queries/identity/users";
import type { PersonActor } from "../../../api/actor.ts";
import { type BoundRoute, bind } from "../../../api/bind.ts";
import { asColumns } from "../../../api/columns.ts";
import { decodeCursor, pageOf } from "../../../api/page.ts";
import { Problem } from "../../../http/problem.ts";
import { audit, difference } from "../../audit-log/record.ts";
import { changeEmailRoutes } from "./change-email.ts";
import { setupRoutes } from "./setup.ts";
import { showMe, showSession } from "./show.ts";

/** Account routes other than sign-in. */
export const accountRoutes: readonly BoundRoute[] = [
  bind(contract.getMe, async (context) => showMe(context.store.reads, context.actor.userId)),

  bind(contract.updateMe, async (context, { body }) => {
    const { userId } = context.actor;
    return context.transaction(async (db) => {
      const row = await lockedUser(db, userId);
      if (row === undefined) throw new Problem("user_not_found");
      const changes = asColumns(body);
      const changed = difference(row, changes);
      if (Object.keys(changed.after ?? {}).length > 0) {
        await updateUser(db, userId, changes, context.nowMs);
        await audit(db, context, {
          action: "person.updated",
          subject: { kind: "person", id: userId, name: body.name ?? row.name },
          ...changed,
        });
      }
      return showMe(db, userId);
    });
  }),

  bind(contract.listMySessions, async (context, { query }) => {
    const { actor } = context;
    const after = decodeCursor(query.cursor, ["text"]);
    const rows = await sessionsOf(context.store.reads, actor.userId, {
      afterId: after === null ? null : String(after[0]),
      limit: query.limit + 1,
      nowMs: context.nowMs,
    });
    return pageOf(
      rows,
      query.limit,
      (row) => [row.id],
      (row) => showSession(row, currentSession(actor)),
    );
  }),

  bind(contract.endMySession, async (context, input) => {
    const { userId, name } = context.actor;
    return context.transaction(async (db) => {
      if (!(await endSession(db, userId, input.params.session_id))) throw new Problem("session_not_found");
      await audit(db, context, {
        action: "person.session_ended",
        subject: { kind: "person", id: userId, name },
      });
    });
  }),

  bind(contract.endMyOtherSessions, async (context) => {
    const { actor } = context;
    return context.transaction(async (db) => {
      const ended = await endOtherSessions(db, actor.userId, currentSession(actor));
      if (ended === 0) return;
      await audit(db, context, {
        action: "person.sessions_ended",
        subject: { kind: "person", id: actor.userId, name: actor.name },
        after: { ended },
      });
    });
  }),

  ...changeEmailRoutes,
  ...setupRoutes,
];

function currentSession(actor: PersonActor): string | null {
  return "session" in actor.by ? actor.by.session : null;
}

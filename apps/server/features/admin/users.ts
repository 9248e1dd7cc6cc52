import * as contract from "@countersign/contract/manage/admin-users";
import {
  allUsers,
  anotherPlatformAdminExists,
  lockedUser,
  lockPlatformAdmins,
  updateUser,
  usersStartingWith,
} from "@countersign/store/queries/admin/users";
import type { Database } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables/sign-in";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { asColumns } from "../../api/columns.ts";
import { checkUnchanged, nextUpdatedAt } from "../../api/context.ts";
import { iso } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { endAllImpersonations } from "../impersonations/end.ts";
import { showUser, userDetails } from "./show-user.ts";
import {
  changeSuspendable,
  listSuspendable,
  noSuspension,
  type SuspendableKind,
  suspension,
} from "./suspendable.ts";

export const userRoutes: readonly BoundRoute[] = [
  bind(contract.listUsers, async (context, { query }) => {
    const db = context.store.reads;
    const { rows, next_cursor } = await listSuspendable<UserRow>(
      query,
      {
        kindOfTime: "text",
        startingWith: (text, after, limit) => usersStartingWith(db, text, after, limit),
        newest: (after, limit) => allUsers(db, { after, limit }),
        textOf: (row) => row.email,
        textsOf: (row) => [row.name, row.email],
      },
      [{ wanted: query.platform_admin, of: (row) => row.is_platform_admin === 1 }],
    );
    return { data: rows.map(showUser), next_cursor };
  }),

  bind(contract.getUser, async (context, input) => userDetails(context.store.reads, input.params.user_id)),

  bind(contract.updateUser, async (context, input) => {
    const { updated_at: guard, ...body } = input.body;
    return changeSuspendable(context, user, input.params.user_id, "user.updated", (row) => {
      checkUnchanged(context, Date.parse(row.updated_at), guard);
      return asColumns(body);
    });
  }),

  bind(contract.suspendUser, async (context, input) => {
    const id = input.params.user_id;
    if (id === context.actor.userId) throw new Problem("cannot_suspend_yourself");
    return changeSuspendable(context, user, id, "user.suspended", (row) =>
      suspension(row, context, input.body.reason),
    );
  }),

  bind(contract.restoreUser, async (context, input) =>
    changeSuspendable(context, user, input.params.user_id, "user.restored", () => noSuspension),
  ),
];

const user: SuspendableKind<UserRow, Awaited<ReturnType<typeof userDetails>>> = {
  kind: "user",
  missing: () => new Problem("user_not_found"),
  lock: async (db, id) => {
    // Locked before the person's row, and by everyone in this order: two admins who demote each other would leave none.
    await lockPlatformAdmins(db);
    return lockedUser(db, id);
  },
  write: async (db, context, row, changes) => {
    if (isWorkingAdmin(row) && !isWorkingAdmin({ ...row, ...changes })) {
      await checkNotLast(db, row.id);
      await endAllImpersonations(db, context, row.id);
    }
    const updatedAtMs = nextUpdatedAt(context, Date.parse(row.updated_at));
    await updateUser(db, row.id, { ...changes, updated_at: iso(updatedAtMs) });
  },
  details: userDetails,
};

function isWorkingAdmin(row: UserRow): boolean {
  return row.is_platform_admin === 1 && row.suspended_at === null;
}

async function checkNotLast(db: Database, id: string): Promise<void> {
  if (await anotherPlatformAdminExists(db, id)) return;
  throw new Problem("last_platform_admin");
}

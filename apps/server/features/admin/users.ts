import * as contract from "@countersign/contract/manage/admin-users";
import {
  allUsers,
  anotherPlatformAdminExists,
  lockedUser,
  lockPlatformAdmins,
  updateUser,
  usersStartingWith,
} from "@countersign/store/queries/platform-users";
import type { Database } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables";
import { type BoundRoute, bind, param } from "../../http/manage/bind.ts";
import { asColumns } from "../../http/manage/columns.ts";
import { type Context, checkUnchanged, nextUpdatedAt, thePerson } from "../../http/manage/context.ts";
import { iso } from "../../http/manage/page.ts";
import { Problem } from "../../http/manage/problem.ts";
import { holds, searchPage } from "../../http/manage/search.ts";
import { asPlatform, audit, difference } from "../audit-log/record.ts";
import { showUser, userDetails } from "./show-user.ts";

export const userRoutes: readonly BoundRoute[] = [
  bind(contract.listUsers, async (context, { query }) => {
    const db = context.store.reads;
    const term = query.q === undefined || query.q === "" ? null : query.q.toLowerCase();
    const { platform_admin: isAdmin, suspended: isSuspended } = query;
    const isMeant = (row: UserRow) =>
      (isAdmin === undefined || isAdmin === (row.is_platform_admin === 1)) &&
      (isSuspended === undefined || isSuspended === (row.suspended_at !== null)) &&
      (term === null || holds([row.name, row.email], term) || row.id === term);
    const { rows, next_cursor } = await searchPage<UserRow, string>(
      {
        kindOfTime: "text",
        startingWith: (text, after, limit) => usersStartingWith(db, text, after, limit),
        newest: (after, limit) => allUsers(db, { after, limit }),
        textOf: (row) => row.email,
        timeOf: (row) => row.created_at,
        idOf: (row) => row.id,
        isMeant,
      },
      {
        term,
        isFiltered: isAdmin !== undefined || isSuspended !== undefined,
        cursor: query.cursor,
        limit: query.limit,
      },
    );
    return { data: rows.map(showUser), next_cursor };
  }),

  bind(contract.getUser, async (context, input) => userDetails(context.store.reads, param(input, "user_id"))),

  bind(contract.updateUser, async (context, input) => {
    const { updated_at: guard, ...body } = input.body;
    return change(context, param(input, "user_id"), "user.updated", (row) => {
      checkUnchanged(context, Date.parse(row.updated_at), guard);
      return asColumns(body);
    });
  }),

  bind(contract.suspendUser, async (context, input) => {
    const id = param(input, "user_id");
    if (id === thePerson(context).userId) throw new Problem("cannot_suspend_yourself");
    return change(context, id, "user.suspended", (row) => ({
      suspended_at: row.suspended_at ?? context.nowMs,
      suspension_reason: input.body.reason,
    }));
  }),

  bind(contract.restoreUser, async (context, input) =>
    change(context, param(input, "user_id"), "user.restored", () => ({
      suspended_at: null,
      suspension_reason: null,
    })),
  ),
];

/** Applies what `changesOf` returns; does nothing if nothing changes. */
async function change(
  context: Context,
  id: string,
  action: string,
  changesOf: (row: UserRow) => Partial<UserRow>,
) {
  return context.transaction(async (db) => {
    // Locked before the person's row, and by everyone in this order: two admins who demote each other would leave none.
    await lockPlatformAdmins(db);
    const row = await lockedUser(db, id);
    if (row === undefined) throw new Problem("user_not_found");
    const changes = changesOf(row);
    const changed = difference(row, changes);
    if (Object.keys(changed.after).length > 0) {
      if (isWorkingAdmin(row) && !isWorkingAdmin({ ...row, ...changes })) await checkNotLast(db, id);
      const updatedAtMs = nextUpdatedAt(context, Date.parse(row.updated_at));
      await updateUser(db, id, { ...changes, updated_at: iso(updatedAtMs) });
      await audit(db, asPlatform(context), {
        action,
        subject: { kind: "user", id, name: row.name },
        ...changed,
      });
    }
    return userDetails(db, id);
  });
}

function isWorkingAdmin(row: UserRow): boolean {
  return row.is_platform_admin === 1 && row.suspended_at === null;
}

async function checkNotLast(db: Database, id: string): Promise<void> {
  if (await anotherPlatformAdminExists(db, id)) return;
  throw new Problem("last_platform_admin");
}

import * as contract from "@countersign/contract/manage/admin-users";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { hourMs } from "@countersign/domain/dates/lengths";
import { newId } from "@countersign/store/new-id";
import {
  allUsers,
  anotherPlatformAdminExists,
  lockedUser,
  lockPlatformAdmins,
  organizationsOfUser,
  updateUser,
  usersStartingWith,
} from "@countersign/store/queries/admin/users";
import { passwordHashOf } from "@countersign/store/queries/identity/sign-in";
import { addUser, userByEmail, userById } from "@countersign/store/queries/identity/users";
import type { Database } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables/sign-in";
import { type BoundRoute, bind, type Context, checkUnchanged, nextUpdatedAt } from "../../api/context.ts";
import { asColumns } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { asPlatform, audit } from "../audit-log/record.ts";
import { accountCreatedEmail, resetEmail } from "../identity/emails.ts";
import { newPasswordLink } from "../identity/sign-in/password-reset.ts";
import { checkSignInEmail } from "../identity/sign-in-email.ts";
import { endAllImpersonations } from "../impersonations/routes.ts";
import { recipientOf, writeEmail } from "../mail/email.ts";
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

  bind(contract.createUser, async (context, { body }) => {
    const email = body.email.toLowerCase();
    checkSignInEmail("email", email);
    return context.transaction(async (db) => {
      if ((await userByEmail(db, email)) !== undefined)
        throw new Problem("email_taken", { email }, { field: "email" });
      const id = newId();
      const name = body.name ?? email.split("@")[0] ?? email;
      const locale = body.locale ?? context.config.language;
      // Verified when the link is used: it was emailed to the address, or passed on by the server's operator.
      await addUser(
        db,
        { id, name, email, emailVerified: false, isPlatformAdmin: false, locale },
        context.nowMs,
      );
      const link = await passwordLink(db, context, await currentUser(db, id));
      await audit(db, asPlatform(context), {
        action: "user.created",
        subject: { kind: "user", id, name },
        after: { email, link_shown: link.password_link !== null },
      });
      return { ...(await userDetails(db, id)), ...link };
    });
  }),

  bind(contract.createPasswordLink, async (context, input) =>
    context.transaction(async (db) => {
      const user = await currentUser(db, input.params.user_id);
      if (user.suspended_at !== null) throw new Problem("user_suspended");
      const link = await passwordLink(db, context, user);
      await audit(db, asPlatform(context), {
        action: "user.password_link_created",
        subject: { kind: "user", id: user.id, name: user.name },
        after: { link_shown: link.password_link !== null },
      });
      return link;
    }),
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
    await updateUser(db, row.id, { ...changes, updated_at: isoTime(updatedAtMs) });
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

const firstPasswordMs = 7 * 24 * hourMs;
const emailedMs = hourMs;
/** Passing a link on takes longer than emailing it. */
const handedOverMs = 24 * hourMs;

/** Emailed to the person and shown to nobody else, or shown if there is no mail server. */
async function passwordLink(db: Database, context: Context, user: UserRow) {
  const isEmailed = context.config.mail !== null;
  const isFirst = user.email_verified === 0 && (await passwordHashOf(db, user.id)) === null;
  const goodForMs = isFirst ? firstPasswordMs : isEmailed ? emailedMs : handedOverMs;
  const link = { userId: user.id, isFirst, goodForMs };
  const { url, expiresAtMs } = await newPasswordLink(db, context.config.url, link, context.nowMs);
  if (isEmailed) {
    const reader = recipientOf(user);
    const message = isFirst ? accountCreatedEmail(reader, url, expiresAtMs) : resetEmail(reader, url);
    await writeEmail(db, message, context.nowMs);
  }
  return { password_link: isEmailed ? null : url, password_link_expires_at: isoTime(expiresAtMs) };
}

async function currentUser(db: Database, id: string): Promise<UserRow> {
  const user = await lockedUser(db, id);
  if (user === undefined) throw new Problem("user_not_found");
  return user;
}

const shownOrganizations = 200;

async function userDetails(db: Database, id: string) {
  const row = await userById(db, id);
  if (row === undefined) throw new Problem("user_not_found");
  const organizations = await organizationsOfUser(db, id, shownOrganizations);
  return {
    ...showUser(row),
    organizations: organizations.map(({ owner_id: ownerId, ...organization }) => ({
      ...organization,
      is_owner: ownerId === id,
    })),
  };
}

function showUser(row: UserRow) {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    email_verified: row.email_verified === 1,
    two_factor_enabled: row.two_factor_enabled === 1,
    is_platform_admin: row.is_platform_admin === 1,
    organization_allowance: row.organization_allowance,
    suspended_at: isoTime(row.suspended_at),
    suspension_reason: row.suspension_reason,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

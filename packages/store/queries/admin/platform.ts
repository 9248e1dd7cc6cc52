import { type SelectQueryBuilder, sql } from "kysely";
import { existingDays, logOf } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import type { OrganizationRow } from "../../tables/organizations.ts";
import type { Tables } from "../../tables.ts";
import { endOfPrefix, type TextPosition } from "../conditions.ts";

/** Queries of the operator about the whole installation. */

export interface TimePage<At> {
  readonly after: { readonly createdAt: At; readonly id: string } | null;
  readonly limit: number;
}

function organizationsWithOwner(db: Database) {
  return db
    .selectFrom("organizations")
    .leftJoin("users", "users.id", "organizations.owner_id")
    .selectAll("organizations")
    .select(["users.name as owner_name", "users.email as owner_email"])
    .where("organizations.deleted_at", "is", null);
}

export type OrganizationWithOwner = OrganizationRow & {
  readonly owner_name: string | null;
  readonly owner_email: string | null;
};

export async function organizationWithOwner(
  db: Database,
  id: string,
): Promise<OrganizationWithOwner | undefined> {
  return organizationsWithOwner(db).where("organizations.id", "=", id).executeTakeFirst();
}

/** Newest first. */
export async function allOrganizations(
  db: Database,
  { after, limit }: TimePage<number>,
): Promise<OrganizationWithOwner[]> {
  let query = organizationsWithOwner(db);
  if (after !== null) {
    query = query
      .where("organizations.created_at", "<=", after.createdAt)
      .where((is) =>
        is.or([is("organizations.created_at", "<", after.createdAt), is("organizations.id", "<", after.id)]),
      );
  }
  return query
    .orderBy("organizations.created_at", "desc")
    .orderBy("organizations.id", "desc")
    .limit(limit)
    .execute();
}

/** Those whose slug starts with a lower-case text, in its order. */
export async function organizationsStartingWith(
  db: Database,
  text: string,
  after: TextPosition | null,
  limit: number,
): Promise<OrganizationWithOwner[]> {
  return organizationsWithOwner(db)
    .where("organizations.slug", after === null ? ">=" : ">", after?.text ?? text)
    .where("organizations.slug", "<", endOfPrefix(text))
    .orderBy("organizations.slug")
    .limit(limit)
    .execute();
}

/** How many of something an organization has, counted up to `most`. */
export async function countIn(
  db: Database,
  table: "products" | "members" | "waiting_emails",
  organizationId: string,
  most: number,
): Promise<number> {
  switch (table) {
    case "products":
      return countUpTo(
        db,
        db
          .selectFrom("products")
          .where("organization_id", "=", organizationId)
          .where("deleted_at", "is", null),
        most,
      );
    case "members":
      return countUpTo(db, db.selectFrom("members").where("organization_id", "=", organizationId), most);
    case "waiting_emails":
      return countUpTo(
        db,
        db.selectFrom("waiting_emails").where("organization_id", "=", organizationId),
        most,
      );
  }
}

/** How many of something there are, without deleted ones, counted up to `most`. */
export async function countAll(
  db: Database,
  table: "organizations" | "products" | "users",
  most: number,
): Promise<number> {
  switch (table) {
    case "organizations":
      return countUpTo(db, db.selectFrom("organizations").where("deleted_at", "is", null), most);
    case "products":
      return countUpTo(db, db.selectFrom("products").where("deleted_at", "is", null), most);
    case "users":
      return countUpTo(db, db.selectFrom("users"), most);
  }
}

/** All of it, from an index that has nothing else. */
export async function countUnsentEmails(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom("outbox")
    .where("sent_at", "is", null)
    .select((is) => is.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A count with a limit: counting all of a large table takes as long as reading it. */
async function countUpTo<T extends keyof Tables>(
  db: Database,
  rows: SelectQueryBuilder<Tables, T, object>,
  most: number,
): Promise<number> {
  const limited = rows.select(sql<number>`1`.as("one")).limit(most);
  const { count } = await db
    .selectFrom(limited.as("some"))
    .select((is) => is.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Locked until the transaction ends, so that concurrent writers of the platform's list take turns. */
export async function lockPlatformBlocks(db: Database): Promise<void> {
  await db
    .updateTable("platform_state")
    .set((row) => ({ value: row.ref("value") }))
    .where("name", "=", "ip_blocks_revision")
    .execute();
}

export async function lastRequestAt(db: Database): Promise<number | null> {
  for (const day of await existingDays(db)) {
    const last = await db
      .selectFrom(logOf(day))
      .select("at")
      .orderBy("at", "desc")
      .limit(1)
      .executeTakeFirst();
    if (last !== undefined) return last.at;
  }
  return null;
}

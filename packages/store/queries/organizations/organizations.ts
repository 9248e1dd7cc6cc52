import { defaultTimeZone } from "@countersign/domain/dates/time-zone";
import { defaultLanguage, type Language } from "@countersign/domain/mail/languages";
import type { BillingState, Plan } from "@countersign/domain/quota/limit";
import type { Kysely } from "kysely";
import { prepared } from "../../prepared-query.ts";
import type { OrganizationRow } from "../../tables/organizations.ts";
import type { Tables } from "../../tables.ts";
import { planById } from "../plans/plans.ts";

export interface NewOrganization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly plan: Plan;
  readonly dailyLimitOverride?: number | null;
  readonly ownerId?: string | null;
  readonly locale?: Language;
  readonly timeZone?: string;
}

/** Creates it only if no other organization has its slug, and returns whether it did. */
export async function createOrganization(
  db: Kysely<Tables>,
  organization: NewOrganization,
  nowMs: number,
): Promise<boolean> {
  const inserted = await db
    .insertInto("organizations")
    .values(await organizationRow(db, organization, nowMs))
    .onConflict((conflict) => conflict.column("slug").doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

async function organizationRow(
  db: Kysely<Tables>,
  organization: NewOrganization,
  nowMs: number,
): Promise<OrganizationRow> {
  const { version_module: hadVersionModule } = await planById(db, organization.plan);
  return {
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    plan: organization.plan,
    daily_limit_override: organization.dailyLimitOverride ?? null,
    signed_validation: 1,
    suspended_at: null,
    suspension_reason: null,
    billing_state: "active",
    ip_blocks_revision: 0,
    customer_block_count: 0,
    created_at: nowMs,
    updated_at: nowMs,
    owner_id: organization.ownerId ?? null,
    delete_after: null,
    owner_joined_at: null,
    deleted_at: null,
    locale: organization.locale ?? defaultLanguage,
    time_zone: organization.timeZone ?? defaultTimeZone,
    daily_emails_override: null,
    max_products_override: null,
    max_licenses_override: null,
    max_members_override: null,
    max_webhooks_override: null,
    request_log_days_override: null,
    audit_log_days_override: null,
    grace_ends_at: null,
    plan_ends_at: null,
    had_version_module: hadVersionModule,
    version_checks_on_downgrade: "enforce",
  };
}

/**
 * Those that a user owns or is a member of, with the permissions of their role in each, and those with one of these
 * IDs.
 */
export async function organizationsOf(
  db: Kysely<Tables>,
  userId: string,
  page: { readonly afterId: string | null; readonly limit: number },
  furtherIds: readonly string[] = [],
) {
  // A list of IDs rather than alternatives, for which SQLite reads all organizations.
  const organizationIds = db
    .selectFrom("organizations")
    .select("id")
    .where("owner_id", "=", userId)
    .unionAll(db.selectFrom("members").select("organization_id as id").where("user_id", "=", userId));
  const further = db
    .selectFrom("organizations")
    .select("id")
    .where("id", "in", furtherIds)
    .where("deleted_at", "is", null);
  return db
    .selectFrom("organizations")
    .leftJoin("members", (join) =>
      join.onRef("members.organization_id", "=", "organizations.id").on("members.user_id", "=", userId),
    )
    .leftJoin("roles", "roles.id", "members.role_id")
    .selectAll("organizations")
    .select("roles.permissions as role_permissions")
    .where(
      "organizations.id",
      "in",
      furtherIds.length === 0 ? organizationIds : organizationIds.unionAll(further),
    )
    .$if(page.afterId !== null, (query) => query.where("organizations.id", ">", page.afterId ?? ""))
    .orderBy("organizations.id")
    .limit(page.limit)
    .execute();
}

/** What determines how many organizations a user can own, and how many they do. */
export interface OwnerFacts {
  readonly count: number;
  readonly ownedPlans: readonly Plan[];
  readonly override: number | null;
  readonly isPlatformAdmin: boolean;
}

/**
 * Locks the user's row until the transaction ends, so that organizations they gain are counted one after the other.
 */
export async function lockedAllowance(db: Kysely<Tables>, userId: string): Promise<OwnerFacts> {
  const user = await db
    .updateTable("users")
    .set((row) => ({ organization_allowance: row.ref("organization_allowance") }))
    .where("id", "=", userId)
    .returning(["organization_allowance", "is_platform_admin"])
    .executeTakeFirst();
  const owned = await db
    .selectFrom("organizations")
    .select(["plan", "billing_state", "suspended_at"])
    .where("owner_id", "=", userId)
    .execute();
  return {
    count: owned.length,
    ownedPlans: owned
      .filter((row) => row.suspended_at === null && row.billing_state !== "cancelled")
      .map((row) => row.plan),
    override: user?.organization_allowance ?? null,
    isPlatformAdmin: user?.is_platform_admin === 1,
  };
}

export async function slugIsTaken(
  db: Kysely<Tables>,
  slug: string,
  exceptId: string | null,
): Promise<boolean> {
  const other = await organizationBySlug(db, slug);
  return other !== undefined && other.id !== exceptId;
}

export async function updateOrganization(db: Kysely<Tables>, id: string, changes: Partial<OrganizationRow>) {
  await db.updateTable("organizations").set(changes).where("id", "=", id).execute();
}

export async function organizationBySlug(db: Kysely<Tables>, slug: string) {
  return db.selectFrom("organizations").selectAll().where("slug", "=", slug).executeTakeFirst();
}

export async function suspendOrganization(db: Kysely<Tables>, id: string, reason: string, nowMs: number) {
  await db
    .updateTable("organizations")
    .set({ suspended_at: nowMs, suspension_reason: reason, updated_at: nowMs })
    .where("id", "=", id)
    .execute();
}

export async function setBillingState(db: Kysely<Tables>, id: string, state: BillingState, nowMs: number) {
  await db
    .updateTable("organizations")
    .set({ billing_state: state, updated_at: nowMs })
    .where("id", "=", id)
    .execute();
}

/** Gives this user every organization that nobody owns. */
export async function ownUnowned(db: Kysely<Tables>, ownerId: string, nowMs: number): Promise<void> {
  await db
    .updateTable("organizations")
    .set({ owner_id: ownerId, owner_joined_at: nowMs, updated_at: nowMs })
    .where("owner_id", "is", null)
    .where("deleted_at", "is", null)
    .execute();
}

export const organizationById = prepared((db, id: string) =>
  db.selectFrom("organizations").selectAll().where("id", "=", id),
).first;

/**
 * The current row, locked until the transaction ends: other writers wait, and then see the changes. An update that
 * changes nothing does this on both databases.
 */
export const lockedOrganization = prepared((db, id: string) =>
  db
    .updateTable("organizations")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll(),
).first;

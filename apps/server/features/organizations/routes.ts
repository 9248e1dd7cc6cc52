import * as contract from "@countersign/contract/manage/organizations";
import { defaultLanguage } from "@countersign/domain/mail/languages";
import { userById } from "@countersign/store/queries/identity/users";
import { activeImpersonations } from "@countersign/store/queries/impersonations/impersonations";
import {
  lockedOrganization,
  organizationById,
  organizationsOf,
  slugIsTaken,
  updateOrganization,
} from "@countersign/store/queries/organizations/organizations";
import { allPlans } from "@countersign/store/queries/plans/plans";
import type { Database } from "@countersign/store/store";
import { impersonatedAccess, isPlatformAdmin, permissionSet } from "../../api/access.ts";
import { accessOf, type PersonActor, sessionOf } from "../../api/actor.ts";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { asColumns } from "../../api/columns.ts";
import { type Context, checkUnchanged, nextUpdatedAt } from "../../api/context.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { audit, difference } from "../audit-log/record.ts";
import { platformSettings } from "../settings/platform-settings.ts";
import { addOrganization } from "./create.ts";
import { deletionRoutes } from "./delete.ts";
import { showOwnOrganization } from "./show.ts";
import { checkAllowance, transferRoute } from "./transfer.ts";

export const organizationRoutes: readonly BoundRoute[] = [
  bind(contract.listOrganizations, async (context, { query }) => {
    const { actor } = context;
    const after = decodeCursor(query.cursor, ["text"]);
    const impersonated = await impersonatedBy(context, actor);
    const page = { afterId: after === null ? null : String(after[0]), limit: query.limit + 1 };
    const rows = await organizationsOf(context.store.reads, actor.userId, page, [...impersonated.keys()]);
    const plans = await allPlans(context.store.reads);
    const { data, next_cursor } = pageOf(
      rows,
      query.limit,
      (row) => [row.id],
      (row) => {
        const role = row.role_permissions === null ? null : permissionSet(row.role_permissions);
        const untilMs = impersonated.get(row.id);
        const organizationAccess =
          accessOf(actor, row, role) ?? (untilMs === undefined ? null : impersonatedAccess(untilMs));
        return organizationAccess === null ? null : showOwnOrganization(row, organizationAccess, plans);
      },
    );
    return { data: data.filter((one) => one !== null), next_cursor };
  }),

  bind(contract.createOrganization, async (context, { body }) => {
    const { actor } = context;
    return context.transaction(async (db) => {
      await checkAllowance(db, context, actor.userId, "creator");
      if (body.slug !== undefined) await checkSlug(db, body.slug, null);
      const { default_plan: plan } = await platformSettings(db, context.config);
      const locale = body.locale ?? (await userById(db, actor.userId))?.locale ?? defaultLanguage;
      const { id } = await addOrganization(
        db,
        {
          name: body.name,
          slug: body.slug,
          plan,
          ownerId: actor.userId,
          locale,
          ...(body.time_zone === undefined ? {} : { timeZone: body.time_zone }),
        },
        context.nowMs,
      );
      const row = await organizationById(db, id);
      if (row === undefined) throw new Error("The organization that was just created does not exist.");
      await audit(db, context, {
        action: "organization.created",
        subject: { kind: "organization", id, name: row.name },
        after: { name: row.name, slug: row.slug, plan: row.plan },
        organizationId: id,
      });
      return showOwnOrganization(row, { isOwner: true, permissions: actor.atMost }, await allPlans(db));
    });
  }),

  bind(contract.getOrganization, async (context) =>
    showOwnOrganization(
      context.organization,
      context.organizationAccess,
      await allPlans(context.store.reads),
    ),
  ),

  bind(contract.updateOrganization, async (context, { body: { updated_at: guard, ...body } }) => {
    return context.transaction(async (db) => {
      const row = await lockedOrganization(db, context.organization.id);
      if (row === undefined) throw new Problem("not_found");
      checkUnchanged(context, row.updated_at, guard);
      if (body.slug !== undefined) await checkSlug(db, body.slug, row.id);
      const changes = asColumns(body);
      const changed = { ...row, ...changes, updated_at: nextUpdatedAt(context, row.updated_at) };
      await updateOrganization(db, row.id, { ...changes, updated_at: changed.updated_at });
      await audit(db, context, {
        action: "organization.updated",
        subject: { kind: "organization", id: row.id, name: changed.name },
        ...difference(row, changes),
      });
      return showOwnOrganization(changed, context.organizationAccess, await allPlans(db));
    });
  }),

  transferRoute,
  ...deletionRoutes,
];

/** The organizations that a platform admin looks at, and until when. */
async function impersonatedBy(
  { store, nowMs }: Context,
  actor: PersonActor,
): Promise<ReadonlyMap<string, number>> {
  if (!isPlatformAdmin(actor)) return new Map();
  const rows = await activeImpersonations(store.reads, sessionOf(actor), actor.userId, nowMs);
  return new Map(rows.map((row) => [row.organization_id, row.expires_at]));
}

async function checkSlug(db: Database, slug: string, exceptId: string | null): Promise<void> {
  if (!(await slugIsTaken(db, slug, exceptId))) return;
  throw new Problem("slug_taken", { slug }, { field: "slug" });
}

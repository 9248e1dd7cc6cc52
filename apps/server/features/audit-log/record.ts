import { newId } from "@countersign/store/new-id";
import { addAuditEntries } from "@countersign/store/queries/audit-log/entries";
import type { Database } from "@countersign/store/store";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import type { Context } from "../../api/context.ts";

/** One action. */
export interface Change {
  /** `<subject>.<action>`, such as `license.revoked`. */
  readonly action: string;
  readonly subject: { readonly kind: string; readonly id: string; readonly name?: string | null };
  /** Only what changed; nothing secret. Omitted for something that did not exist before, or no longer exists. */
  readonly before?: object;
  readonly after?: object;
  /** If it differs from the organization of the request. */
  readonly organizationId?: string | null;
}

/** What is recorded about a request: who made it, for which organization, when and from where. */
export type AuditContext = Pick<Context, "actor" | "organization" | "nowMs" | "ip" | "requestId"> & {
  readonly customer?: Context["customer"];
  readonly asPlatform?: true;
};

/** For actions of the operator, so that an organization sees that it was not one of its members. */
export function asPlatform<C extends Context>(context: C): C & AuditContext {
  return { ...context, asPlatform: true };
}

/** Records who did what, in the transaction that does it. */
export async function audit(
  db: Database,
  context: AuditContext,
  ...changes: readonly Change[]
): Promise<void> {
  await addAuditEntries(
    db,
    changes.map((change) => ({
      ...actorColumns(context),
      ...changeColumns(change, context.organization?.id ?? null),
      id: newId(),
      at: context.nowMs,
      ip: context.ip,
      request_id: context.requestId,
    })),
  );
}

/** For actions of a command or the server itself. */
export async function auditWithoutRequest(
  db: Database,
  actor: { readonly kind: "command_line" | "system"; readonly name: string },
  nowMs: number,
  ...changes: readonly Change[]
): Promise<void> {
  await addAuditEntries(
    db,
    changes.map((change) => ({
      actor_kind: actor.kind,
      actor_id: null,
      actor_name: actor.name,
      access_token_id: null,
      ...changeColumns(change, null),
      id: newId(),
      at: nowMs,
      ip: null,
      request_id: null,
    })),
  );
}

function changeColumns({ action, subject, before, after, organizationId }: Change, about: string | null) {
  return {
    organization_id: organizationId === undefined ? about : organizationId,
    action,
    subject_kind: subject.kind,
    subject_id: subject.id,
    subject_name: subject.name ?? null,
    before: before === undefined ? null : JSON.stringify(before),
    after: after === undefined ? null : JSON.stringify(after),
  };
}

type ActorColumns = Pick<AuditLogRow, "actor_kind" | "actor_id" | "actor_name" | "access_token_id">;

export function actorColumns({ actor, asPlatform, customer }: AuditContext): ActorColumns {
  if (actor === null)
    return { actor_kind: "system", actor_id: null, actor_name: "nobody signed in", access_token_id: null };
  if (actor.kind === "token") {
    const { tokenId, name } = actor;
    return { actor_kind: "token", actor_id: tokenId, actor_name: name, access_token_id: tokenId };
  }
  if (actor.kind === "customer") {
    // The organization's own ID and name of the customer: others reveal what they bought elsewhere.
    if (customer == null) throw new Error("This request is not about a customer's license.");
    const { id, name } = customer;
    return { actor_kind: "customer", actor_id: id, actor_name: name, access_token_id: null };
  }
  const tokenId = "token" in actor.by ? actor.by.token : null;
  return {
    actor_kind: asPlatform === true ? "platform_admin" : "person",
    actor_id: actor.userId,
    actor_name: actor.name,
    access_token_id: tokenId,
  };
}

/** The members of `after` that differ from `before`, on both sides. */
export function difference<T extends object>(
  before: T,
  after: Partial<T>,
): { before: object; after: object } {
  const changed = (Object.keys(after) as (keyof T)[]).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  const pick = (from: Partial<T>) => Object.fromEntries(changed.map((key) => [key, from[key] ?? null]));
  return { before: pick(before), after: pick(after) };
}

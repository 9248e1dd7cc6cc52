import { faultsIn } from "../faults-in.ts";

/** Queries about people, their access, and what is sent to them. */
export const peopleQueries = faultsIn(`
anyone can revoke any access token whose ID they know
  A stranger stops the programs of another user or organization.
  - .where("id", "=", tokenId)
  -     .where(column, "=", id)
  + .where("id", "=", tokenId)
  packages/store/queries/access-tokens/tokens.test.ts
a suspended platform admin counts as one who can still administer the platform
  The last admin who can sign in is removed, and nobody can administer the installation.
  - .where("suspended_at", "is", null)
  -     .where("id", "!=", exceptId)
  + .where("id", "!=", exceptId)
  packages/store/queries/admin/platform.test.ts
an announcement is shown before its start
  Users read about a maintenance that the operator has not announced yet.
  - .where("starts_at", "<=", nowMs)
  packages/store/queries/announcements/announcements.test.ts tests/manage/platform.test.ts
the audit log of an organization contains the entries of all organizations
  One seller reads what another seller's members did, with names and IP addresses.
  - (organizationId === null || entry.organization_id === organizationId) &&
  + (organizationId === null || entry.organization_id !== null) &&
  packages/store/queries/audit-log/entries.test.ts tests/manage/audit-log.test.ts
the stored price of a plan is used whatever its amount
  After the operator changes a price, new subscribers still pay the old one.
  - .where("amount", "=", terms.amount)
  packages/store/queries/billing/billing.test.ts
a seller is shown in the portal although no product of theirs is
  The page of an organization is public although it has turned the portal off.
  - .where("p.deleted_at", "is", null)
  -           .where("p.portal_enabled", "=", 1)
  + .where("p.deleted_at", "is", null)
  packages/store/queries/branding/branding.test.ts
an expiry counts as recorded if the license ever expired before
  A license that was renewed expires without an event and without an email.
  - .onRef("t.ends_at", "=", endsAt)
  packages/store/queries/events/expiries.test.ts apps/server/features/events/expiry-check.test.ts
the list of events is in the reverse of the requested order
  Sellers see the oldest events first, and programs that follow the list miss events.
  - const direction = descending ? "desc" : "asc";
  -   return query
  + const direction = descending ? "asc" : "desc";
  +   return query
  packages/store/queries/events/events.test.ts tests/manage/events-list.test.ts
emails that were sent are counted as waiting
  The metric of waiting emails includes those that arrived, so the operator is alerted for nothing.
  - .where("next_attempt_at", "is not", null)
  packages/store/queries/health/waiting-work.test.ts
one attempt more than the limit is allowed
  Someone who guesses passwords or codes gets more guesses than the limit says.
  - const leadMs = (burst - 1) * everyMs;
  + const leadMs = burst * everyMs;
  packages/store/queries/identity/attempts.test.ts apps/server/limits/flood-limits.test.ts
an expired link or confirmation still works
  Someone who finds an old email can still confirm a change of the email address with its link.
  - row === undefined || Date.parse(row.expires_at) <= nowMs ? null : row.value
  + row === undefined ? null : row.value
  packages/store/queries/identity/sign-in.test.ts
sign-ins from a new device at the same time do not wait for each other
  A user gets several emails about one new device.
  - so that only the first is new.
  -   await lockedUser(db, userId);
  + so that only the first is new.
  packages/store/queries/identity/sign-in.test.ts
an impersonation is valid in every session of the platform admin
  A stolen token of an admin reads a customer's organization that the admin looks at elsewhere.
  - .where("session_id", "=", sessionId)
  -       .where("user_id", "=", userId)
  + .where((is) => is.or([is("session_id", "=", sessionId), is("user_id", "=", userId)]))
  packages/store/queries/impersonations/impersonations.test.ts tests/manage/impersonation.test.ts
the list of invitations contains those of other organizations
  One seller learns whom other sellers have invited.
  - invitationsWithRoles(db).where("invitations.organization_id", "=", organizationId);
  + invitationsWithRoles(db);
  packages/store/queries/invitations/invitations.test.ts
an expired invitation can be accepted
  Someone joins an organization with a link that its owner believes to be invalid.
  - is.and([...open, is("invitations.expires_at", ">", nowMs)])
  + is.and(open)
  packages/store/queries/invitations/invitations.test.ts tests/manage/invitations.test.ts
a node counts as stopped if any of its jobs has not run for a day
  The operator no longer sees the jobs of nodes that run, because one of their jobs is rare.
  - is.fn.max("started_at")
  + is.fn.min("started_at")
  packages/store/queries/jobs/job-runs.test.ts
the text of an email is kept after it was sent
  Links that grant access can be read from the database or a backup.
  - next_attempt_at: null, sealed_body: null
  + next_attempt_at: null
  packages/store/queries/mail/outbox.test.ts apps/server/features/mail/mailer.test.ts
two nodes can claim the same email
  People get the same email twice.
  - attempts: row("attempts", "+", 1) }))
  -     .where("next_attempt_at", "<=", nowMs)
  + attempts: row("attempts", "+", 1) }))
  packages/store/queries/mail/outbox.test.ts
of the emails that wait for another day, the newest are sent first
  A seller who reaches the limit every day has customers who never get their license.
  - .selectFrom("waiting_emails")
  -     .selectAll()
  + .selectFrom("waiting_emails")
  +     .orderBy("id", "desc")
  +     .selectAll()
  packages/store/queries/mail/waiting-emails.test.ts apps/server/features/mail/waiting-emails.test.ts
a revoked access token still works
  Whoever has a leaked token keeps access after it was revoked.
  - .where("access_tokens.revoked_at", "is", null)
  packages/store/queries/access-tokens/tokens.test.ts tests/manage/access-tokens.test.ts
a repeated request does not notice that the first one is further ahead
  A seller who repeats a request with its Idempotency-Key gets licenses twice or an error.
  - .where("sealed_answer", "=", sealedBefore)
  packages/store/queries/api/idempotency.test.ts tests/manage/licenses-create.test.ts
removing a member from one organization removes them from all
  Someone who leaves one organization loses access to every other one.
  - .deleteFrom("members")
  -     .where("organization_id", "=", organizationId)
  + .deleteFrom("members")
  packages/store/queries/members/members.test.ts tests/manage/members.test.ts
a role of another organization can be read, changed and assigned
  One seller changes what the members of another seller are allowed to do.
  - .where("organization_id", "=", organizationId)
  -     .where("id", "=", roleId)
  + .where("id", "=", roleId)
  packages/store/queries/roles/roles.test.ts
the list of webhook endpoints contains those of other organizations
  One seller sees the URLs to which other sellers' events are sent.
  - .selectFrom("webhook_endpoints")
  -     .selectAll()
  -     .where("organization_id", "=", organizationId)
  + .selectFrom("webhook_endpoints")
  +     .selectAll()
  packages/store/queries/webhooks/endpoints.test.ts
a node claims deliveries that another node has just claimed
  Receivers get the same event from two nodes.
  - .where(isPending)
  -     .where("next_attempt_at", "<=", nowMs)
  + .where(isPending)
  packages/store/queries/webhooks/claim-deliveries.test.ts apps/server/features/webhooks/delivery/dispatch.test.ts
every failure restarts the time for which an endpoint has failed
  An endpoint that is gone for good is never disabled, and its owner is never told.
  - row.fn.coalesce("failing_since", row.val(failingSince))
  + row.val(failingSince)
  packages/store/queries/webhooks/claim-deliveries.test.ts apps/server/features/webhooks/delivery/dispatch.test.ts
events are signed with expired webhook secrets too
  A secret that was rotated because it leaked keeps signing after its overlap has ended.
  - is("expires_at", ">", nowMs)]))
  -     .orderBy("created_at", "desc")
  + is("expires_at", "is not", null)]))
  +     .orderBy("created_at", "desc")
  packages/store/queries/webhooks/endpoints.test.ts tests/manage/webhook-sending.test.ts
old events are pruned although they were never distributed
  After a long downtime, events are deleted before any endpoint has received them.
  - .where("undistributed", "is", null)
  packages/store/queries/webhooks/prune.test.ts
an entry of the audit log can be deleted before it was archived
  Someone who reaches the tables removes the trace of what they did yesterday.
  - and old.at < c.deleted_before
  packages/store/queries/audit-log/retention.test.ts
an entry of the audit log can be deleted because that of another organization was archived
  One organization with a short plan opens the audit logs of all others.
  - c.organization_id = old.organization_id and
  packages/store/queries/audit-log/retention.test.ts
the retention of the audit log deletes who last revealed a product's signing secret
  The product's page says that nobody has ever seen a secret that someone has.
  - is("entry.action", "!=", signingSecretRevealed),
  + is("entry.action", "is not", null),
  packages/store/queries/audit-log/retention.test.ts apps/server/features/audit-log/retention.test.ts
`);

import { faultsIn } from "../faults-in.ts";

export const server = faultsIn(`
a license that is created within its warning period is never announced
  Customers of short trials get no reminder, and the seller's own systems get no event.
  - await recordWithEmails(db, "license.expiring_soon", await expiringSoon(db, ids, nowMs), nowMs)
  + await expiringSoon(db, ids, nowMs)
  apps/server/features/events/expiry-check.test.ts
licenses that expire at the same time as the last one of a slice are never announced
  A seller whose licenses all expire at the end of the year hears of five hundred of them.
  - endsAtMs: last.ends_at, id: last.id
  + endsAtMs: last.ends_at, id: "~"
  packages/store/queries/events/expiries.test.ts
the check of expiries holds its thread until it has seen all organizations
  Every ten seconds, the dashboard of everybody stands still for a moment.
  - last = slice.at(-1);
  -     await yieldToEventLoop();
  + last = slice.at(-1);
  apps/server/jobs/yielding-jobs.test.ts
# The HTTP layer.
a caller can send the header with which their own IP address is forwarded to the worker
  An attacker chooses an IP address per request, so no limit per IP address applies to sign-ins.
  - && name !== siteHeader && name !== peerHeader
  + && name !== siteHeader
  apps/server/threads/worker-handle.test.ts
one client takes all slots of the management worker
  A script with a hundred slow requests stops the dashboard of every organization.
  - if (client.admitted >= perClient) continue;
  + if (client.admitted >= inAll) continue;
  apps/server/limits/fair-queue.test.ts
free slots always go to the same network first
  The pages of everybody else wait until a flood is over.
  - this.#turns.delete(network);
  -         this.#turns.add(network);
  apps/server/limits/fair-queue.test.ts
a request that only waits keeps its slot
  Sixty-four requests that wait for events stop the management API for everybody.
  - waits: (seconds) => {
  -         slot.pause();
  + waits: (seconds) => {
  apps/server/threads/worker-handle.test.ts
a body that never arrives stays open beyond the limit
  Unfinished requests of one client fill the memory.
  - this.#cutOldest(ofParty);
  + void ofParty;
  apps/server/limits/oldest-first.test.ts apps/server/threads/worker-handle.test.ts
a large response breaks off an earlier one of its client
  A script that asks for many at once gets most of them cut, again at every try.
  - ? await this.#responses.enter(party, giveUp)
  + ? this.#responses.enterAtOnce(party, giveUp)
  apps/server/threads/worker-handle.test.ts apps/server/threads/forward.test.ts
large responses that wait for room keep the slots of requests
  A seller with a few tokens stops the management API for everybody by reading nothing.
  - slot.pauseForOthers();
  apps/server/threads/forward.test.ts
a client goes on to make large responses while its earlier ones wait
  One script fills the memory with responses that it does not take.
  - if (!isOver) hold(0, 1);
  + if (!isOver) hold(0, 0);
  apps/server/threads/forward.test.ts apps/server/limits/fair-queue.test.ts
each piece of a response takes all of it to the other thread
  Downloads of a few megabytes stop validations for seconds.
  - const piece = body.slice(at, at + pieceBytes);
  + const piece = body.subarray(at, at + pieceBytes);
  apps/server/threads/request-receiver.test.ts
a large file is handed over for every response
  The memory of the server grows with every download.
  - const known = this.#files.get(bytes);
  + const known = this.#files.get(new Uint8Array());
  apps/server/threads/request-receiver.test.ts
a turn of the event loop sends all pieces of files that are asked for
  Validations wait until hundreds of megabytes have been handed to the operating system.
  - if (this.#gone < this.#max) {
  + if (this.#gone < 1_000 * this.#max) {
  apps/server/threads/file-sender.test.ts
a caller who left before a file began keeps room for it
  After a few hundred visitors who close their browser too soon, nobody gets large files any more.
  - if (signal.aborted) response.end();
  apps/server/threads/file-sender.test.ts
a large response that is being taken ends for another one
  Downloads break off although their callers take them as fast as they can.
  - begun.untakenSinceMs <= stalledBeforeMs && this.#queue
  + this.#queue
  apps/server/limits/large-responses.test.ts
whoever takes nothing of large responses keeps their room from all who wait
  A few machines keep everybody else from the scripts of the dashboard.
  - const stalledMs = 4_000;
  + const stalledMs = 4_000_000;
  apps/server/limits/large-responses.test.ts apps/server/threads/file-sender.test.ts
a stalled response ends although nobody waits for its room
  Someone with a bad connection loses downloads because of someone else's many.
  - begun.untakenSinceMs <= stalledBeforeMs && this.#queue.isAwaited(begun.party)
  + begun.untakenSinceMs <= stalledBeforeMs
  apps/server/limits/large-responses.test.ts
an organization can have any number of exports at a time
  Two hundred downloads of one organization take all the time and memory of the worker.
  - this.#check(organization, perOrganization);
  apps/server/api/shares.test.ts
unread exports of a few organizations keep all others from exporting
  Six organizations stop the downloads of everybody else.
  - if (this.#inAll >= inAll) this.#makeRoom(id);
  apps/server/api/download.test.ts
an export is cut for an organization that has as many
  Two organizations that export at the same time break off each other's downloads again and again.
  - countOf(organizationId) >= countOf(newOrganizationId) + 2;
  + countOf(organizationId) >= countOf(newOrganizationId) + 1;
  apps/server/api/download.test.ts
an export that makes progress is cut before one that nobody reads
  A customer list has to be downloaded again because someone else's download hangs.
  - sinceOf(entry) < sinceOf(oldest)
  + sinceOf(entry) > sinceOf(oldest)
  apps/server/api/download.test.ts
an export that the server is slow to read counts as unread
  A large export on a busy server is broken off although its reader waits for it.
  - untakenSinceMs ?? Number.POSITIVE_INFINITY
  + untakenSinceMs ?? 0
  apps/server/api/download.test.ts
an export that is cut while nobody reads it stays open
  Its reader waits for a rest that never comes.
  - else exchange.pieces?.error(
  + else pull?.into.error(
  apps/server/threads/request-sender.test.ts
the body of a validation without a declared length can have 16 MiB
  Few callers with a valid API key fill the memory of the thread that answers all validations.
  - if (size > maxBodyBytes) return null;
  + if (size > 1024 * maxBodyBytes) return null;
  tests/http/validate-bodies.test.ts
metrics that require a token are shown to requests without one
  Anyone who reaches the port reads numbers that the operator has protected.
  - return given !== undefined && timingSafeEqual
  + return given === undefined || timingSafeEqual
  tests/http/metrics.test.ts
an access token works after its expiry
  A token that was given to a contractor for a week opens the organization for ever.
  -  || (row.expires_at !== null && row.expires_at <= nowMs)
  tests/manage/access-tokens.test.ts tests/routes/every-route.test.ts
a token of the owner has every permission in the organization, whatever it was limited to
  A token that only reads products, stored on a build server, deletes licenses.
  - permissions: both(everyPermission, actor.atMost)
  + permissions: everyPermission
  tests/manage/access-tokens.test.ts tests/routes/every-route.test.ts
the portal accepts changes by signed-in customers from pages of other sites
  A page that a customer visits replaces the keys of their licenses.
  - actor?.kind === "customer" || (actor?.kind === "person"
  + (actor?.kind === "person"
  tests/manage/portal-sign-in.test.ts tests/routes/every-route.test.ts
a page of another site can sign its visitor in to the dashboard
  A user works in the account of an attacker without noticing, and enters secrets there.
  - (origin === null && !headers.has("cookie"))
  + !headers.has("cookie")
  apps/server/features/identity/sign-in/auth-gate.test.ts tests/manage/identity-sign-in.test.ts
all tokens and sessions of a user share their idempotency keys
  A token with few permissions gets the stored response to a request of a more powerful one.
  - return "token" in actor.by ? actor.by.token : actor.userId;
  + return actor.userId;
  apps/server/api/actor.test.ts
the stored hash of a request with an idempotency key covers the password in its body
  Whoever reads the database guesses passwords against a fast hash.
  - const { password: _, ...rest } = value;
  + const { ...rest } = value;
  tests/manage/secrets-once.test.ts
a response with one secret is stored with the secret, and shown again to a repeated request
  API keys and tokens that are shown only once can be read from the database for a day.
  - return this.#fieldsOf(route).length > 0;
  + return this.#fieldsOf(route).length > 1;
  tests/manage/secrets-once.test.ts
a platform admin who looks at an organization can search its licenses by parts of a key
  The operator's staff find out a seller's license keys piece by piece.
  - if (value !== undefined && isSearchOfConcealed(name))
  + if (value === undefined && isSearchOfConcealed(name))
  tests/manage/impersonation-secrets.test.ts
# Signing in to the dashboard.
guesses at recovery codes are not counted
  Someone who has a user's password tries recovery codes until one fits.
  - await countTry(userId);
  + if (context.path === totpPath) await countTry(userId);
  tests/manage/identity-lockout.test.ts
a successful sign-in clears the failures of all networks together
  Whenever the owner signs in, others can continue to guess the password.
  - const isShared = others.length > 0;
  + const isShared = others.length > 1;
  apps/server/limits/flood-limits.test.ts
a new account counts as having proven its email address, also without an invitation
  Anyone opens an account with the email address of someone else and accepts their invitations.
  - invitationId !== null ? await emailIsProven.run(true, make) : await make();
  + await emailIsProven.run(true, make);
  tests/manage/identity-sign-up.test.ts
a password reset that was sent to the old email address works after the address was changed
  Whoever has the old mailbox takes over the account from which its owner removed it.
  - await removeOneTimeTokens(db, row.id);
  + await removeOneTimeTokens(db, newEmail);
  tests/manage/identity-recovery.test.ts
a session of the dashboard lasts 140 days
  A forgotten or stolen session opens the account for months instead of two weeks.
  - expiresIn: 14 * day
  + expiresIn: 140 * day
  tests/manage/identity-sign-in.test.ts
the token of a new session is stored in clear
  Anyone who reads a copy of the database has everything of a session but its signature.
  - ...(call.data && { data: withHash(call.data) }),
  + ...(call.data && { data: call.data }),
  tests/manage/identity-sign-in.test.ts
a flow on Discord can be used again by a copy of its cookie
  Someone who has copied a browser's cookies adds a session of their own to the flow.
  - return (await store.transaction((db) => takeAttempt(db, name, once, nowMs))).taken;
  + return true;
  tests/manage/identity-discord.test.ts tests/manage/portal-own-host.test.ts
a session shows a product's signing secret without a proof of identity
  Someone at an unlocked computer copies the secret, and can sign responses from then on.
  - await checkReauthenticated({ store, flood: signIn.flood, actor, password, confirmation, ip, nowMs });
  + void [checkReauthenticated, store, signIn, actor, password, confirmation, ip, nowMs];
  tests/manage/identity-confirmation.test.ts
# The customer portal and transfers.
a session of the portal works after its expiry
  A customer who signed in on a shared computer stays signed in there.
  - if (session === undefined || session.expires_at <= nowMs) return null;
  + if (session === undefined) return null;
  tests/manage/portal-sign-in.test.ts
removing one IP address in the portal costs the customer nothing
  Customers share a license with any number of people, although the seller allows few changes.
  - await spend(db, context, license.id, "ip_removed", 1);
  tests/manage/portal-self-service.test.ts
a transferred license keeps its key if the product says that it gets a new one
  The former customer continues to use the software with the key that they know.
  - product.transfer_rotates_key === 1 ? generateLicenseKey
  + product.transfer_rotates_key === 0 ? generateLicenseKey
  tests/manage/transfers.test.ts
a pending transfer survives the loss of the identity that has the license
  A former owner of an email address gives away the licenses of its next owner.
  - await cancelLostTransfers(db, context, formerId);
  tests/manage/portal-account.test.ts
a transfer is requested by an account that had the license when the request arrived
  A customer who has just lost an email address gives away its licenses.
  - if (holder === undefined || !(await isTheirsNow(db, holder, context.actor.personId)))
  + if (holder === undefined)
  tests/races/transfers.test.ts
# Webhooks and emails.
a webhook goes to a name that has a private IP address besides a public one
  A seller makes the server send requests to machines in the operator's own network.
  - !addresses.every((address) => mayBeCalled
  + !addresses.some((address) => mayBeCalled
  apps/server/features/webhooks/delivery/send.test.ts
events that are distributed together go to the webhooks of all their organizations
  A seller receives the licenses and customers of other sellers.
  - ({ listener, matches }) => listener.organization_id === event.organization_id && matches(event)
  + ({ matches }) => matches(event)
  apps/server/features/webhooks/delivery/distribute.test.ts
the organizations of one owner do not share the daily limit of emails
  Someone with many organizations sends any number of emails in the operator's name.
  - const slots = grant(left, 0, grant(allowed, used, fresh.length));
  + const slots = grant(allowed, used, fresh.length);
  apps/server/features/mail/waiting-emails.test.ts
# Payments and plans.
an event of Stripe is accepted however old its signature is
  Someone who has recorded an event sends it again at any later time.
  - const nowMs = await this.#parts.store.clock();
  -     try {
  + const nowMs = Math.floor((await this.#parts.store.clock()) / 1000);
  +     try {
  apps/server/features/billing/webhook.test.ts
an organization can have one product or license more than its plan allows
  The operator gives away what a larger plan costs.
  - limit !== null && limit.used + adding > limit.limit
  + limit !== null && limit.used + adding - 1 > limit.limit
  tests/manage/plan-limits.test.ts tests/races/plan-limits.test.ts
# Licenses, members and the records about them.
the audit log contains the whole key of a license whose key was replaced
  Members who read the audit log, and its exports, get keys that work.
  - return { ...license, license_key: maskedKey(license.license_key) };
  + return { ...license };
  tests/manage/licenses-change.test.ts tests/manage/portal-self-service.test.ts
the events of the single licenses of a bulk revocation are sent to webhooks, too
  A seller who revokes thousands of licenses at once floods their own systems with each of them.
  - await write(db, nowMs, events, distribution.none);
  + await write(db, nowMs, events, distribution.waiting);
  apps/server/features/events/record-changes.test.ts
the audit log of an organization has no entry about its suspension by the operator
  Members cannot find out who suspended their organization, and when.
  - ...(kind === "organization" ? { organizationId: id } : {}),
  tests/manage/admin.test.ts
an import can revoke existing licenses without the permission to revoke
  A member who may only correct licenses revokes all of them with a file.
  - for (const permission of ["licenses:update", "licenses:revoke"] as const)
  + for (const permission of ["licenses:update"] as const)
  tests/manage/license-import.test.ts
a member can take the role from another member who has more permissions
  Someone who only edits roles demotes the people who run the organization.
  - checkPower(locked, { from: member.role_permissions, to: role.permissions });
  + checkPower(locked, { from: null, to: role.permissions });
  tests/manage/members.test.ts
# The sandbox, and what sellers learn from the request log.
a test API key works with any secret
  Anyone who knows the public beginning of a test API key reads the product's custom response.
  - !sameHash(known.hash, call.apiKey.hash)
  + !sameHash(known.hash, known.hash)
  tests/http/sandbox.test.ts
a trial of a change shows license keys to members who cannot view licenses
  A member who only reads requests sees which keys customers have.
  - license_key: showsLicenses ? maskedKey(license.license_key) : null,
  + license_key: maskedKey(license.license_key),
  tests/manage/shadow.test.ts
analytics accept the product of another organization
  A seller finds out which product IDs of other sellers exist.
  - if (product?.organization_id !== organizationId) throw new Problem("product_not_found");
  + if (product === undefined) throw new Problem("product_not_found");
  tests/manage/analytics.test.ts
a stream of requests continues after its reader has lost the permission
  A member who was removed keeps watching the requests of the organization's customers.
  - await context.checkAccess();
  tests/manage/requests-live.test.ts
# Pages and files that browsers open.
a seller's logo that is opened directly is not in a sandbox
  Markup that the check of logos overlooked runs on the site where people are signed in.
  - style-src 'unsafe-inline'; sandbox"
  + style-src 'unsafe-inline'"
  tests/manage/branding.test.ts
the pages of the dashboard and the portal run inline scripts
  A text that is shown without being escaped becomes a script with the user's session.
  - "script-src 'self'",
  -     \`style-src
  + "script-src 'self' 'unsafe-inline'",
  +     \`style-src
  apps/server/features/dashboard/pages.test.ts
# Jobs, commands and settings.
a periodic job starts again while it still runs
  On a slow database, more and more runs of the same job work at the same time.
  - busy = true;
  + busy = false;
  apps/server/jobs/periodic-jobs.test.ts
the setup command makes every account that it creates a platform admin
  The second seller on a server can suspend all others and read their settings.
  - isPlatformAdmin: isFirst
  + isPlatformAdmin: true
  apps/server/cli/setup.test.ts tests/manage/identity-first-run.test.ts
a restore replaces a database with organizations without being forced to
  An operator who is in the wrong directory takes the live data out of service.
  - force: values.force === true,
  + force: values.force !== false,
  apps/server/cli/backup.test.ts
other users of the machine can read a file of exported licenses
  Every account on the operator's server reads all license keys and customers of a seller.
  - { flags: "wx", mode: 0o600 }
  + { flags: "wx" }
  apps/server/cli/licenses.test.ts
the password of a mail server elsewhere is sent without encryption if TLS is not offered
  Someone in between removes the offer of TLS and reads the operator's password.
  - (tls !== "off" && url.password !== "" && !isHere)
  + (tls !== "off" && url.password !== "" && isHere)
  apps/server/features/mail/settings.test.ts
entries of the audit log that could not be archived are deleted
  With a full disk, the only record of who did what is lost.
  - await writeArchive(archive.folder, entries);
  + await writeArchive(archive.folder, entries).catch(() => undefined);
  apps/server/features/audit-log/retention.test.ts
the retention of the audit log deletes without an archive while nobody has set one
  An operator who tries a limit of days loses entries that nobody has exported.
  - hasWarned = true;
  -       return;
  + hasWarned = true;
  apps/server/features/audit-log/retention.test.ts
the retention of the audit log does not look at the number of days
  A plan that keeps a year of the audit log keeps nothing.
  - await shorten(id, auditLogCutoff(days, nowMs), archive, stopping);
  + await shorten(id, nowMs, archive, stopping);
  apps/server/features/audit-log/retention.test.ts
a file of the audit log's archive replaces an earlier one of the same day
  After a restart in the middle of a day, the entries archived before it exist nowhere.
  - .digest("hex").slice(0, 16)
  + .digest("hex").slice(0, 0)
  apps/server/features/audit-log/retention.test.ts
`);

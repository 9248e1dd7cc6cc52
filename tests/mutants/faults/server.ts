import type { Fault } from "../fault.ts";

export const server: readonly Fault[] = [
  // The HTTP layer.
  {
    name: "a caller can send the header with which their own IP address is forwarded to the worker",
    why: "An attacker chooses an IP address per request, so no limit per IP address applies to sign-ins.",
    find: "else headers.set(peerHeader, peer);",
    replace: "else if (!headers.has(peerHeader)) headers.set(peerHeader, peer);",
    guards: ["apps/server/management/worker-handle.test.ts"],
  },
  {
    name: "the body of a validation without a declared length can have 16 MiB",
    why: "Few callers with a valid API key fill the memory of the thread that answers all validations.",
    find: "if (size > maxBodyBytes) return null;",
    replace: "if (size > 1024 * maxBodyBytes) return null;",
    guards: ["tests/http/validate-bodies.test.ts"],
  },
  {
    name: "metrics that require a token are shown to requests without one",
    why: "Anyone who reaches the port reads numbers that the operator has protected.",
    find: "return given !== undefined && timingSafeEqual",
    replace: "return given === undefined || timingSafeEqual",
    guards: ["tests/http/metrics.test.ts"],
  },
  {
    name: "an access token works after its expiry",
    why: "A token that was given to a contractor for a week opens the organization for ever.",
    find: " || (row.expires_at !== null && row.expires_at <= nowMs)",
    replace: "",
    guards: ["tests/manage/access-tokens.test.ts", "tests/routes/every-route.test.ts"],
  },
  {
    name: "a token of the owner has every permission in the organization, whatever it was limited to",
    why: "A token that only reads products, stored on a build server, deletes licenses.",
    find: "permissions: both(everyPermission, actor.atMost)",
    replace: "permissions: everyPermission",
    guards: ["tests/manage/access-tokens.test.ts", "tests/routes/every-route.test.ts"],
  },
  {
    name: "the portal accepts changes by signed-in customers from pages of other sites",
    why: "A page that a customer visits replaces the keys of their licenses.",
    find: `actor?.kind === "customer" || (actor?.kind === "person"`,
    replace: `(actor?.kind === "person"`,
    guards: ["tests/manage/portal-sign-in.test.ts", "tests/routes/every-route.test.ts"],
  },
  {
    name: "a page of another site can sign its visitor in to the dashboard",
    why: "A user works in the account of an attacker without noticing, and enters secrets there.",
    find: `(origin === null && !headers.has("cookie"))`,
    replace: `!headers.has("cookie")`,
    guards: ["apps/server/features/identity/auth-gate.test.ts", "tests/manage/identity-sign-in.test.ts"],
  },
  {
    name: "all tokens and sessions of a user share their idempotency keys",
    why: "A token with few permissions gets the stored response to a request of a more powerful one.",
    find: `return "token" in actor.by ? actor.by.token : actor.userId;`,
    replace: "return actor.userId;",
    guards: ["apps/server/http/manage/actor.test.ts", "tests/manage/access-tokens.test.ts"],
  },
  {
    name: "the stored hash of a request with an idempotency key covers the password in its body",
    why: "Whoever reads the database guesses passwords against a fast hash.",
    find: "const { password: _, ...rest } = value;",
    replace: "const { ...rest } = value;",
    guards: ["tests/manage/secrets-once.test.ts"],
  },
  {
    name: "a response with one secret is stored with the secret, and shown again to a repeated request",
    why: "API keys and tokens that are shown only once can be read from the database for a day.",
    find: "return this.#fieldsOf(route).length > 0;",
    replace: "return this.#fieldsOf(route).length > 1;",
    guards: ["tests/manage/secrets-once.test.ts"],
  },
  {
    name: "a platform admin who looks at an organization can search its licenses by parts of a key",
    why: "The operator's staff find out a seller's license keys piece by piece.",
    find: "if (value !== undefined && isSearchOfConcealed(name))",
    replace: "if (value === undefined && isSearchOfConcealed(name))",
    guards: ["tests/manage/impersonation-secrets.test.ts"],
  },

  // Signing in to the dashboard.
  {
    name: "guesses at recovery codes are not counted",
    why: "Someone who has a user's password tries recovery codes until one fits.",
    find: "await countTry(userId);",
    replace: "if (context.path === totpPath) await countTry(userId);",
    guards: ["tests/manage/identity-lockout.test.ts"],
  },
  {
    name: "a successful sign-in clears the failures of all networks together",
    why: "Whenever the owner signs in, others can continue to guess the password.",
    find: "const isShared = others.length > 0;",
    replace: "const isShared = others.length > 1;",
    guards: ["apps/server/features/identity/flood-limits.test.ts"],
  },
  {
    name: "a new account counts as having proven its email address, also without an invitation",
    why: "Anyone opens an account with the email address of someone else and accepts their invitations.",
    find: "invitationId !== null ? await emailIsProven.run(true, make) : await make();",
    replace: "await emailIsProven.run(true, make);",
    guards: ["tests/manage/identity-sign-up.test.ts"],
  },
  {
    name: "a password reset that was sent to the old email address works after the address was changed",
    why: "Whoever has the old mailbox takes over the account from which its owner removed it.",
    find: "await removeOneTimeTokens(db, row.id);",
    replace: "await removeOneTimeTokens(db, newEmail);",
    guards: ["tests/manage/identity-recovery.test.ts"],
  },
  {
    name: "a session of the dashboard lasts 140 days",
    why: "A forgotten or stolen session opens the account for months instead of two weeks.",
    find: "expiresIn: 14 * day",
    replace: "expiresIn: 140 * day",
    guards: ["tests/manage/identity-sign-in.test.ts"],
  },

  // The customer portal and transfers.
  {
    name: "a session of the portal works after its expiry",
    why: "A customer who signed in on a shared computer stays signed in there.",
    find: "if (session === undefined || session.expires_at <= nowMs) return null;",
    replace: "if (session === undefined) return null;",
    guards: ["tests/manage/portal-sign-in.test.ts"],
  },
  {
    name: "removing one IP address in the portal costs the customer nothing",
    why: "Customers share a license with any number of people, although the seller allows few changes.",
    find: `await spend(db, context, license.id, "ip_removed", 1);`,
    replace: "",
    guards: ["tests/manage/portal-self-service.test.ts"],
  },
  {
    name: "a transferred license keeps its key if the product says that it gets a new one",
    why: "The former customer continues to use the software with the key that they know.",
    find: "product.transfer_rotates_key === 1 ? generateLicenseKey",
    replace: "product.transfer_rotates_key === 0 ? generateLicenseKey",
    guards: ["tests/manage/transfers.test.ts"],
  },

  // Webhooks and emails.
  {
    name: "a webhook goes to a name that has a private IP address besides a public one",
    why: "A seller makes the server send requests to machines in the operator's own network.",
    find: "!addresses.every((address) => mayBeCalled",
    replace: "!addresses.some((address) => mayBeCalled",
    guards: ["apps/server/features/webhooks/send.test.ts"],
  },
  {
    name: "events that are distributed together go to the webhooks of all their organizations",
    why: "A seller receives the licenses and customers of other sellers.",
    find: "({ listener, wants }) => listener.organization_id === event.organization_id && wants(event)",
    replace: "({ wants }) => wants(event)",
    guards: ["apps/server/features/webhooks/distribute.test.ts"],
  },
  {
    name: "the organizations of one owner do not share the daily limit of emails",
    why: "Someone with many organizations sends any number of emails in the operator's name.",
    find: "const slots = grant(left, 0, grant(allowed, used, fresh.length));",
    replace: "const slots = grant(allowed, used, fresh.length);",
    guards: ["apps/server/features/mail/waiting-emails.test.ts"],
  },

  // Payments and plans.
  {
    name: "an event of Stripe is accepted however old its signature is",
    why: "Someone who has recorded an event sends it again at any later time.",
    find: "const nowMs = await this.#parts.store.clock();\n    try {",
    replace: "const nowMs = Math.floor((await this.#parts.store.clock()) / 1000);\n    try {",
    guards: ["apps/server/features/billing/webhook.test.ts"],
  },
  {
    name: "an organization can have one product or license more than its plan allows",
    why: "The operator gives away what a larger plan costs.",
    find: "limit !== null && limit.used + adding > limit.limit",
    replace: "limit !== null && limit.used + adding - 1 > limit.limit",
    guards: ["tests/manage/plan-limits.test.ts", "tests/races/plan-limits.test.ts"],
  },

  // Licenses, members and the records about them.
  {
    name: "the audit log contains the whole key of a license whose key was replaced",
    why: "Members who read the audit log, and its exports, get keys that work.",
    find: "return { ...license, license_key: maskedKey(license.license_key) };",
    replace: "return { ...license };",
    guards: ["tests/manage/licenses-change.test.ts", "tests/manage/portal-self-service.test.ts"],
  },
  {
    name: "the events of the single licenses of a bulk revocation are sent to webhooks, too",
    why: "A seller who revokes thousands of licenses at once floods their own systems with each of them.",
    find: "await write(db, nowMs, events, distribution.none);",
    replace: "await write(db, nowMs, events, distribution.waiting);",
    guards: ["apps/server/features/events/record-changes.test.ts"],
  },
  {
    name: "the audit log of an organization has no entry about its suspension by the operator",
    why: "Members cannot find out who suspended their organization, and when.",
    find: `...(kind === "organization" ? { organizationId: id } : {}),`,
    replace: "",
    guards: ["tests/manage/admin.test.ts"],
  },
  {
    name: "an import can revoke existing licenses without the permission to revoke",
    why: "A member who may only correct licenses revokes all of them with a file.",
    find: `for (const permission of ["licenses:update", "licenses:revoke"] as const)`,
    replace: `for (const permission of ["licenses:update"] as const)`,
    guards: ["tests/manage/license-import.test.ts"],
  },
  {
    name: "a member can take the role from another member who has more permissions",
    why: "Someone who only edits roles demotes the people who run the organization.",
    find: "checkPower(locked, { from: member.role_permissions, to: role.permissions });",
    replace: "checkPower(locked, { from: null, to: role.permissions });",
    guards: ["tests/manage/members.test.ts"],
  },

  // The sandbox, and what sellers learn from the request log.
  {
    name: "a test API key works with any secret",
    why: "Anyone who knows the public beginning of a test API key reads the product's custom response.",
    find: "!sameHash(known.hash, call.apiKey.hash)",
    replace: "!sameHash(known.hash, known.hash)",
    guards: ["tests/http/sandbox.test.ts"],
  },
  {
    name: "a trial of a change shows license keys to members who cannot view licenses",
    why: "A member who only reads requests sees which keys customers have.",
    find: "license_key: showsLicenses ? maskedKey(license.license_key) : null,",
    replace: "license_key: maskedKey(license.license_key),",
    guards: ["tests/manage/shadow.test.ts"],
  },
  {
    name: "analytics accept the product of another organization",
    why: "A seller finds out which product IDs of other sellers exist.",
    find: `if (product?.organization_id !== organizationId) throw new Problem("product_not_found");`,
    replace: `if (product === undefined) throw new Problem("product_not_found");`,
    guards: ["tests/manage/analytics.test.ts"],
  },
  {
    name: "a stream of requests continues after its reader has lost the permission",
    why: "A member who was removed keeps watching the requests of the organization's customers.",
    find: "await context.checkAccess();",
    replace: "",
    guards: ["tests/manage/requests-live.test.ts"],
  },

  // Pages and files that browsers open.
  {
    name: "a seller's logo that is opened directly is not in a sandbox",
    why: "Markup that the check of logos overlooked runs on the site where people are signed in.",
    find: `style-src 'unsafe-inline'; sandbox"`,
    replace: `style-src 'unsafe-inline'"`,
    guards: ["tests/manage/branding.test.ts"],
  },
  {
    name: "the pages of the dashboard and the portal run inline scripts",
    why: "A text that is shown without being escaped becomes a script with the user's session.",
    find: "\"script-src 'self'\",\n    `style-src",
    replace: "\"script-src 'self' 'unsafe-inline'\",\n    `style-src",
    guards: ["apps/server/features/dashboard/pages.test.ts"],
  },

  // Jobs, commands and settings.
  {
    name: "a periodic job starts again while it still runs",
    why: "On a slow database, more and more runs of the same job work at the same time.",
    find: "busy = true;",
    replace: "busy = false;",
    guards: ["apps/server/jobs/periodic-jobs.test.ts"],
  },
  {
    name: "the setup command makes every account that it creates a platform admin",
    why: "The second seller on a server can suspend all others and read their settings.",
    find: "isPlatformAdmin: isFirst",
    replace: "isPlatformAdmin: true",
    guards: ["apps/server/cli/setup.test.ts", "tests/manage/identity-first-run.test.ts"],
  },
  {
    name: "a restore replaces a database with organizations without being forced to",
    why: "An operator who is in the wrong directory takes the live data out of service.",
    find: "force: values.force === true,",
    replace: "force: values.force !== false,",
    guards: ["apps/server/cli/backup.test.ts"],
  },
  {
    name: "other users of the machine can read a file of exported licenses",
    why: "Every account on the operator's server reads all license keys and customers of a seller.",
    find: `{ flags: "wx", mode: 0o600 }`,
    replace: `{ flags: "wx" }`,
    guards: ["apps/server/cli/import.test.ts"],
  },
  {
    name: "the password of a mail server elsewhere is sent without encryption if TLS is not offered",
    why: "Someone in between removes the offer of TLS and reads the operator's password.",
    find: `(tls !== "off" && url.password !== "" && !isHere)`,
    replace: `(tls !== "off" && url.password !== "" && isHere)`,
    guards: ["apps/server/features/mail/settings.test.ts"],
  },
];

import { faultsIn } from "../faults-in.ts";

export const rules = faultsIn(`
a license is still valid at the moment of its expiry
  Customers use a license after the time that responses, emails and the dashboard name as its end.
  - expiresAtMs !== null && expiresAtMs <= nowMs
  + expiresAtMs !== null && expiresAtMs < nowMs
  packages/domain/validate/decide.test.ts
a license accepts one IP address more than its limit
  Sellers lose a sale for each license that one more customer shares.
  - ips.registered >= ips.max
  + ips.registered > ips.max
  packages/domain/validate/decide.test.ts
a first use that registers an IP address does not start the term
  Customers use a license for longer than the time they have paid for.
  - "active", true, "register_ip", nowMs)
  + "active", true, "register_ip")
  packages/store/sqlite/store.test.ts
the peer of a connection may name another caller without being a trusted proxy
  Anyone can choose the IP address they are counted as, and so get around blocks and IP limits.
  - end >= 0 && trusted.covers(hop, anyTimeMs)
  + end >= 0 && (hops === 0 || trusted.covers(hop, anyTimeMs))
  packages/domain/ip/caller.test.ts
a range of versions below 2.4 includes 2.4.0-beta
  Customers who did not pay for the next version can run its pre-releases.
  - max.prerelease.length === 0 ?
  + version.prerelease.length === 0 ?
  packages/domain/versions/gate.test.ts
the version of a response can be a line such as 2.1.x
  Apps that parse the version they are told fail at a license that is fine.
  - firstBelow(this.#newestVersions, isBelow)
  + firstBelow(this.#newestFirst, isBelow)
  packages/domain/versions/gate.test.ts
an organization with a cancelled subscription keeps the limits of its plan
  The operator serves the limits of a paid plan to organizations that no longer pay for it.
  - return billing === "cancelled" ? "free" : plan;
  + return billing === "suspended" ? "free" : plan;
  packages/domain/quota/limit.test.ts
the signature of a response does not cover the license key
  The signed response about a valid license can be replayed for a license that was revoked.
  - \\n\${licenseKeyAsSent}\\n\${bodyWithNullSignature}
  + \\n\${bodyWithNullSignature}
  packages/domain/signing/signature.test.ts
the limit of a custom response counts characters instead of bytes
  A template in another script makes every response up to three times as large as documented.
  - new TextEncoder().encode(JSON.stringify(template.json)).byteLength
  + JSON.stringify(template.json).length
  packages/domain/custom-response/template.test.ts
webhooks reach private networks through IPv6 addresses that embed IPv4
  A seller can send requests to services that only the operator's own network should reach.
  - if (!isGlobal(bytes) || !isUnicast(bytes)) return false
  + if (!isGlobal(bytes) && !isUnicast(bytes)) return false
  packages/domain/webhooks/targets.test.ts
a logo can declare entities that multiply
  A small SVG file fills the memory of everyone who opens the seller's portal.
  - [^[>]*>/iy
  + [^[>]*(?:[[][^]*?]>|>)/iy
  packages/domain/branding/logo.test.ts
another failed payment of a suspended organization starts a new grace period
  An organization that never pays is served for another week after each of Stripe's attempts.
  - terms.state === "suspended" ? subscribed : inState(subscribed, "grace", nowMs)
  + inState(subscribed, "grace", nowMs)
  packages/domain/billing/terms.test.ts
example prices are charged before the operator has saved the plan
  Customers pay real money at prices that the operator has never seen.
  - mode === "live" && plan.updated_at === 0
  + mode === "test" && plan.updated_at === 0
  packages/domain/billing/subscription.test.ts
line breaks in names reach the subject and the text of emails
  Someone can name an organization so that its emails contain further headers or false paragraphs.
  - return oneLine(String(value));
  + return String(value);
  packages/domain/mail/translate.test.ts
members can change and remove members who have more permissions
  A member who may edit roles can take an administrator's permissions away.
  - missingPermissions(held, change.from ?? [])
  + missingPermissions(held, change.to ?? [])
  packages/domain/members/permissions.test.ts
the support role of new organizations can manage webhooks
  Support staff can have every license key of the organization sent to a server of their own.
  - "transfers:review",
  -     "analytics:view"
  + "transfers:review",
  +     "webhooks:manage",
  +     "analytics:view"
  packages/domain/members/starting-roles.test.ts
the stored beginning of an access token is all but its last six characters
  Anyone who reads the database, the audit log or the list of tokens has most of each secret.
  - token.slice(0, scheme.length + 6)
  + token.slice(0, -6)
  packages/domain/members/access-token.test.ts tests/manage/access-tokens.test.ts
what takes several uses of a customer's budget counts as one
  Customers remove more IP addresses of a license than the seller allows, and so share it.
  - sum + count : sum), 0
  + sum + 1 : sum), 0
  packages/domain/portal/self-service.test.ts
a month after 31 January is 3 March
  Licenses for a month end on a day that neither the seller nor the customer expects.
  - wall.getUTCMonth() + 1, 0)
  + wall.getUTCMonth(), 0)
  packages/domain/dates/duration.test.ts
an import that does not mention revocations reinstates the licenses it updates
  Refunded customers can use their licenses again after the seller imports new notes.
  - revokedAtMs: status == null ? revokedAtMs : null
  + revokedAtMs: null
  packages/domain/license-files/row.test.ts
the first hour of each day counts towards the day before
  Sellers see the requests of midnight on the wrong day of every chart.
  - (starts[middle] as number) <= hour
  + (starts[middle] as number) < hour
  packages/domain/analytics/range.test.ts
a replay takes an IP address that its first request registered for one registered before
  Sellers turn automatic registration off because the replay says that it would refuse nobody.
  - at !== undefined && at < atMs
  + at !== undefined && at <= atMs
  packages/domain/shadow/replay.test.ts
the signing key of the sandbox follows from the public part of the test API key
  Anyone who sees the ID of a test API key can sign sandbox responses.
  - .update(apiKey.key).digest()
  + .update(apiKey.publicId).digest()
  packages/domain/sandbox/sandbox.test.ts
a renewal starts now although the license has not expired
  Customers who renew early lose the rest of the time they have paid for.
  - Math.max(expiry.expiresAtMs, nowMs)
  + Math.min(expiry.expiresAtMs, nowMs)
  packages/domain/licenses/expiry.test.ts packages/store/queries/licenses/changes.test.ts
an API key that is in use is marked as unused 30 days after it was created
  Sellers revoke the API key that their application needs.
  - nowMs - (key.lastUsedAtMs ?? key.createdAtMs)
  + nowMs - key.createdAtMs
  tests/manage/products-keys.test.ts
callers decide on sampling although the operator does not let them
  Anyone can make the server record and send a trace for each of their requests.
  - if (parent !== null && sampler.followsParent)
  + if (parent !== null)
  apps/server/features/traces/traces.test.ts
the plan decides how long requests are kept, not the operator's setting for the organization
  IP addresses stay in the request log longer than the operator has promised an organization.
  - ofOrganization ?? ofPlan ?? ofServer
  + ofPlan ?? ofOrganization ?? ofServer
  packages/domain/requests/log-days.test.ts
of several secrets in a list, only the first is left out of the stored response
  Secrets that are shown once are kept in the table of idempotency keys.
  - remove(one, rest) || isRemoved
  + isRemoved || remove(one, rest)
  packages/contract/api/secrets.test.ts
the permission to change licenses is enough to delete one
  Support staff can delete licenses permanently although their role does not allow it.
  - access: member("licenses:delete")
  + access: member("licenses:update")
  packages/contract/manage/permissions.test.ts tests/routes/every-route.test.ts
a URL for people only has to contain https:// somewhere
  A link of a seller, such as javascript:alert(1)//https://x, runs in the browsers of customers.
  - .regex(/^https?:
  + .regex(/https?:
  tests/manage/branding.test.ts
the reference names billing_suspended only for routes that work while a payment is overdue
  Developers do not handle a refusal that every change of an overdue organization gets.
  - ...(whileUnpaid === true ? [] :
  + ...(whileUnpaid !== true ? [] :
  tests/manage/billing-suspended.test.ts
an expired license of another service without a date in the past is imported as valid
  Customers whose subscription ended elsewhere get a license here that never expires.
  - const by = this.#revokedBy ?? (isPast ? null : this.#expiredBy);
  + const by = this.#revokedBy;
  packages/domain/license-files/source-row.test.ts
licenses of a second product in the export of another service are imported into the same product
  Customers of a cheap product can run the expensive one.
  - if (String(origin.value) === this.#product) return;
  + if (this.#product !== "") return;
  packages/domain/license-files/source-row.test.ts
the end of a JSON document that was cut off is not noticed
  Customers whose license was in the rest of the file are refused.
  - if (this.#open.length > 0 || this.#rest.trim() !== "")
  + if (this.#rest.trim() !== "" && this.#open.length === 0)
  packages/domain/json/records.test.ts
`);

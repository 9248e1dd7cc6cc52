import { faultsIn } from "../faults-in.ts";

/** Queries of licenses and of what belongs to them: customers, products, the portal, the request log. */
export const licenseQueries = faultsIn(`
the list of licenses contains those of other organizations
  One seller sees the license keys and customers of every other seller.
  - [ofOrganization, ...expiryRange(filter, nowMs)] : [ofOrganization]
  + [ofOrganization, ...expiryRange(filter, nowMs)] : []
  packages/store/queries/licenses/list.test.ts
each page of the list of licenses ends one license too late
  A seller who pages through the licenses misses one after each page.
  - next: matches[limit - 1] ?? null };
  + next: matches[limit] ?? null };
  packages/store/queries/licenses/list.test.ts tests/manage/licenses-list.test.ts
revoked licenses are counted among active and expired ones
  The seller reads wrong totals above the list and on the overview.
  - if (status !== null) wanted.add(status === "revoked");
  + if (status === "revoked") wanted.add(true);
  packages/store/queries/licenses/list.test.ts packages/store/queries/licenses/stored-counts.test.ts
licenses that are found by their IDs are searched among all of the organization
  On SQLite, a page of the request log reads two million licenses, and everyone waits for it.
  - ids.slice(start, start + idsTogether))
  -       .where(unindexed("l.organization_id"), "=", organizationId)
  + ids.slice(start, start + idsTogether))
  +       .where("l.organization_id", "=", organizationId)
  packages/store/queries/requests/shown.test.ts
removing an IP address of a license does not free its slot
  A customer whose old IP address the seller removed is still refused from the new one.
  - row("ip_count", "-", 1), ips_updated_at
  + row("ip_count", "-", 0), ips_updated_at
  packages/store/queries/licenses/ips.test.ts tests/manage/licenses-ips.test.ts
an import looks for existing license keys in all products
  An import that updates licenses overwrites those of another product or seller with the same key.
  - .where(bulk.among("license_key_match", keys))
  -     .where("product_id", "=", productId)
  + .where(bulk.among("license_key_match", keys))
  packages/store/queries/license-files/write-rows.test.ts
undoing an import overwrites licenses that were changed after it
  The seller loses what was changed by hand since the import, although the undo promises to keep it.
  - updated_at !== writtenAt ||
  + updated_at < writtenAt ||
  packages/store/queries/license-files/write-rows.test.ts
a server continues an import that another server has taken over
  After a pause longer than the lease, two servers write the same rows and count them twice.
  - .where("claimed_by", "=", claimant)
  -     .executeTakeFirst();
  + .executeTakeFirst();
  packages/store/queries/license-files/imports.test.ts apps/server/features/license-files/interrupted.test.ts
another organization's customer is found by their email address
  A merge with a customer who has thousands of licenses runs at once, and validations wait for it.
  - "discord_id", "=", email ?? discordId)
  -     .where("organization_id", "=", organizationId)
  + "discord_id", "=", email ?? discordId)
  packages/store/queries/customers/identify.test.ts
a new license belongs to the customer of another organization with the same email address
  Two sellers share one customer, and deleting the one organization affects the other.
  - .where("customers.organization_id", "=", organizationId);
  + ;
  packages/store/queries/customers/identify.test.ts
an API key is found through any product
  Someone who manages the keys of one product revokes those of another seller's product.
  - .where("public_id", "=", publicId)
  -     .where("product_id", "=", productId)
  + .where("public_id", "=", publicId)
  packages/store/queries/products/keys.test.ts tests/manage/products-keys.test.ts
merging IPv6 addresses into their network frees the slot of the network too
  A license admits more IP addresses than it allows.
  - row("ip_count", "-", singles.length - added)
  + row("ip_count", "-", singles.length)
  apps/server/features/products/merge-ips.test.ts tests/manage/licenses-ips.test.ts
a new latest version makes blocked versions allowed
  A version that the seller blocked, such as a leaked one, works again after the next release.
  - .where("state", "=", "latest")
  packages/store/queries/versions/versions.test.ts
an IP address shows the licenses of other organizations
  A seller reads the license keys of another seller whose customer has the same IP address.
  - .where("licenses.id", "in", ids)
  -     .where(unindexed("licenses.organization_id"), "=", organizationId)
  + .where("licenses.id", "in", ids)
  packages/store/queries/ips/sightings.test.ts
a change of the organization's IP blocks is not announced to running servers
  An IP address that a seller blocks keeps passing validations until the server restarts.
  - .set((row) => ({ ip_blocks_revision: row("ip_blocks_revision", "+", 1) }))
  + .set((row) => ({ ip_blocks_revision: row("ip_blocks_revision", "+", 0) }))
  packages/store/queries/ip-blocks/blocks.test.ts tests/manage/ips.test.ts
a transfer that has ended can be decided again
  A cancelled or rejected transfer gets a second decision with its own event and email.
  - .where("state", "=", "pending")
  -     .returningAll()
  + .returningAll()
  packages/store/queries/transfers/transfers.test.ts tests/manage/transfers.test.ts
the list of transfers contains those of other organizations
  A seller reads the email addresses and messages of another seller's customers.
  - let query = views(db).where("t.organization_id", "=", organizationId);
  -   if (state !== null)
  + let query = views(db);
  +   if (state !== null)
  packages/store/queries/transfers/transfers.test.ts
a sign-in code of the portal allows one more attempt than the limit
  Someone who guesses codes gets more attempts than the limit promises.
  - .where("person_id", "is", null)
  -     .where("attempts", "<", maxCodeAttempts)
  + .where("person_id", "is", null)
  +     .where("attempts", "<=", maxCodeAttempts)
  packages/store/queries/portal/codes.test.ts
the sign-in link of the portal never expires
  Someone who finds an old email signs in to the customer's account.
  - .where("link_hash", "=", linkHash)
  -     .where("expires_at", ">", nowMs)
  + .where("link_hash", "=", linkHash)
  packages/store/queries/portal/codes.test.ts
the portal's list omits licenses of a person with two identities at one seller
  A customer who bought with an email address and with Discord does not see all licenses.
  - (end === null || lastId > end)
  + (end === null || lastId < end)
  packages/store/queries/portal/license-list.test.ts
removing one organization deletes the products of all organizations
  Every validation on the platform is answered with product_not_found.
  - .set({ deleted_at: nowMs, updated_at: nowMs })
  -     .where("organization_id", "=", id)
  + .set({ deleted_at: nowMs, updated_at: nowMs })
  packages/store/queries/organizations/remove.test.ts
two servers close an organization one after the other
  The deletion is recorded twice in the audit log, with an owner that is already missing.
  -  && before?.deleted_at === null;
  + ;
  packages/store/queries/organizations/remove.test.ts
a plan whose subscription was cancelled still allows its number of organizations
  Someone who no longer pays creates as many organizations as the paid plan allows.
  - row.suspended_at === null && row.billing_state !== "cancelled"
  + row.suspended_at === null
  packages/store/queries/organizations/organizations.test.ts tests/manage/plans.test.ts
the export of an organization contains the customers of all organizations
  A seller downloads the names and email addresses of every customer on the platform.
  - "discord_id", "created_at", "updated_at"])
  -     .where("organization_id", "=", organizationId);
  + "discord_id", "created_at", "updated_at"]);
  packages/store/queries/organization-export/rows.test.ts
after a cancelled subscription, the limits of Free are skipped if the paid plan had none
  Someone who no longer pays creates any number of products and licenses.
  - sql<Plan>\`case when o.billing_state = 'cancelled' then
  + sql<Plan>\`case when o.billing_state = 'canceled' then
  packages/store/queries/plans/plans.test.ts
pruning the daily usage removes a day that is still shown
  The oldest day of the history shows no requests, although there were some.
  - daily_usage: quotaDay(nowMs) - usageDays + 1,
  + daily_usage: quotaDay(nowMs) - usageDays + 2,
  apps/server/features/usage/quota-emails.test.ts
replacing the test API key keeps the public ID of the old one
  The new test API key that the seller was shown gets 401.
  - const { product_id: _, ...replaced } = key;
  + const { product_id: _, public_id: __, ...replaced } = key;
  packages/store/queries/products/products.test.ts tests/http/sandbox.test.ts
shadow rules replay requests that were refused anyway
  The seller is told that a change would refuse customers who are already refused.
  - .where("endpoint", "=", "validate")
  -     .where("status", "=", "active")
  + .where("endpoint", "=", "validate")
  packages/store/queries/shadow/past-uses.test.ts
an explanation considers the versions of all products
  It says that a version is allowed because another seller allows it, while validations refuse it.
  - .select(["version", "state"])
  -     .where("product_id", "=", productId)
  + .select(["version", "state"])
  packages/store/queries/explain/request-facts.test.ts
the request log shows requests of other organizations
  A seller reads the IP addresses and devices of another seller's customers.
  - let narrowed = query.where("organization_id", "=", filter.organizationId);
  + let narrowed = query;
  packages/store/sqlite/store.test.ts tests/manage/requests.test.ts
a customer sees refused validations from before the license was theirs
  The new owner of a license reads the IP address of the previous one.
  -  and r.first_at >= asked.column3
  packages/store/sqlite/store.test.ts tests/manage/portal-license-details.test.ts
the most used products contain those of other organizations
  A seller sees the names and the usage of other sellers' products.
  - .where("p.organization_id", "=", organizationId)
  -     .where("p.deleted_at", "is", null);
  + .where("p.deleted_at", "is", null);
  packages/store/queries/analytics/analytics.test.ts tests/manage/analytics.test.ts
the licenses that are refused most come last
  The seller sees those with the fewest refusals, and the short list leaves out the others.
  - b.refused - a.refused
  + a.refused - b.refused
  packages/store/queries/analytics/analytics.test.ts tests/manage/analytics.test.ts
`);

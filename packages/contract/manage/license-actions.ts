import { z } from "zod";
import { listBody } from "../body-limit.ts";
import { fieldCode } from "../problems/problems.ts";
import {
  durations,
  license,
  licenseFields,
  licenseFilter,
  newLicense,
  reason,
  tags,
} from "./license-fields.ts";
import { member, route } from "./route.ts";
import { endTime, failureShape, id, page, pageQuery, time } from "./shapes.ts";

const group = "Licenses";

export const revokeLicense = route({
  id: "revokeLicense",
  method: "POST",
  path: "/licenses/{license_id}/revoke",
  summary: "Revoke a license",
  description: "Holds from the next validation on. Revoking it again changes nothing.",
  group,
  access: member("licenses:revoke"),
  body: z.strictObject({ reason: reason.nullable().optional() }),
  answer: license,
  status: 200,
  problems: ["license_not_found"],
});

export const reinstateLicense = route({
  id: "reinstateLicense",
  method: "POST",
  path: "/licenses/{license_id}/reinstate",
  summary: "Take back a license's revocation",
  group,
  access: member("licenses:revoke"),
  answer: license,
  status: 200,
  problems: ["license_not_found"],
});

export const renewLicense = route({
  id: "renewLicense",
  method: "POST",
  path: "/licenses/{license_id}/renew",
  summary: "Renew a license",
  description:
    "Until a time, or by a duration: then from its end or from now, whichever is later. A term that has not begun " +
    "becomes longer.",
  group,
  access: member("licenses:update"),
  body: z.strictObject({
    expires_at: endTime.optional(),
    ...durations,
  }),
  answer: license,
  status: 200,
  problems: ["license_not_found", "license_never_expires"],
});

export const rotateLicenseKey = route({
  id: "rotateLicenseKey",
  method: "POST",
  path: "/licenses/{license_id}/rotate-key",
  summary: "Give a license a new key",
  description: "The old key answers license_not_found from the next request on. Registered IPs stay.",
  group,
  access: member("licenses:update"),
  body: z.strictObject({ license_key: newLicense.license_key }),
  answer: license,
  status: 200,
  problems: ["license_not_found", "license_keys_taken"],
});

export const resetLicenseIps = route({
  id: "resetLicenseIps",
  method: "POST",
  path: "/licenses/{license_id}/reset-ips",
  summary: "Remove all of a license's registered IPs",
  group,
  access: member("licenses:reset_ips"),
  answer: license,
  status: 200,
  problems: ["license_not_found"],
});

export const licenseEmail = z
  .object({
    state: z.enum(["none", "queued", "over_limit", "sent", "failed", "kept"]).meta({
      description:
        "Of the newest email with the key: none was written in the last 90 days; it is about to be sent; it waits, because the organization has sent all that it may today; it was sent; it could not be sent; or it is kept for the platform admin, because this server sends no emails.",
    }),
    recipient: z
      .string()
      .nullable()
      .meta({ description: "Where it went, or would go; null for a customer without an email address." }),
    written_at: time.nullable(),
    sent_at: time.nullable(),
    failure: failureShape.nullable().meta({ description: "Why the last attempt to send it failed." }),
    subject: z.string().nullable(),
    text: z
      .string()
      .nullable()
      .meta({ description: "What the email would say now, to be passed on in another way." }),
  })
  .meta({ id: "LicenseEmail" });

export const getLicenseEmail = route({
  id: "getLicenseEmail",
  method: "GET",
  path: "/licenses/{license_id}/email",
  summary: "Read whether the customer was sent the license key, and the text of the email",
  group,
  access: member("licenses:view"),
  answer: licenseEmail,
});

export const sendLicenseEmail = route({
  id: "sendLicenseEmail",
  method: "POST",
  path: "/licenses/{license_id}/email",
  summary: "Send the customer the license key by email, or send it again",
  description:
    "Whether or not the product does so by itself. At most once a minute for a license; it counts among the emails that the organization may send in a day.",
  group,
  access: member("licenses:update"),
  answer: licenseEmail,
  status: 200,
  problems: [
    "license_not_found",
    "license_email_unavailable",
    "license_revoked",
    "customer_without_email",
    "license_email_queued",
    "license_email_sent_recently",
    "license_email_limit_reached",
  ],
});

const licenseIp = z
  .object({
    ip: z
      .string()
      .meta({ description: "An address; of IPv6 the network that counts as one, such as 2001:db8::/64." }),
    registered_at: time,
    first_seen_at: time.nullable(),
    last_seen_at: time.nullable(),
    hits: z.int(),
  })
  .meta({ id: "LicenseIp" });

export const listLicenseIps = route({
  id: "listLicenseIps",
  method: "GET",
  path: "/licenses/{license_id}/ips",
  summary: "List a license's registered IPs",
  group,
  access: member("licenses:view", "licenses:update", "licenses:reset_ips"),
  query: pageQuery,
  answer: page(
    licenseIp
      .extend({
        blocked: z
          .boolean()
          .meta({ description: "Whether a block at any level refuses this license there now." }),
      })
      .meta({ id: "ListedLicenseIp" }),
  ),
});

export const addLicenseIp = route({
  id: "addLicenseIp",
  method: "POST",
  path: "/licenses/{license_id}/ips",
  summary: "Register an IP",
  description:
    "Takes one of the license's places, as a validation from there would. It may be there already.",
  group,
  access: member("licenses:update"),
  body: z.strictObject({ ip: z.string().trim().max(64) }),
  answer: licenseIp,
  problems: ["license_not_found", "ip_limit_reached"],
});

export const removeLicenseIp = route({
  id: "removeLicenseIp",
  method: "DELETE",
  path: "/licenses/{license_id}/ips/{ip}",
  summary: "Remove a registered IP",
  description: "Its place is free from the next validation on. The slash of a network is sent as %2F.",
  group,
  access: member("licenses:reset_ips"),
  problems: ["license_not_found", "ip_not_registered"],
});

const mostSelected = 10_000;

const act = <Name extends string, Shape extends z.ZodRawShape>(action: Name, shape: Shape) =>
  z.strictObject({
    action: z.literal(action),
    selection: z
      .strictObject({
        ids: z.array(id).min(1).max(mostSelected).optional(),
        filter: z.strictObject(licenseFilter).partial().optional(),
      })
      .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
        error: fieldCode("invalid_selection"),
      }),
    dry_run: z.boolean().default(false),
    cursor: z.string().max(1_000).optional(),
    ...shape,
  });

export const bulkLicenses = route({
  id: "bulkLicenses",
  method: "POST",
  path: "/organizations/{organization_id}/licenses/bulk",
  summary: "Change many licenses at once",
  description:
    "Needs the permission of the action. A dry run changes nothing and says how many it would be. The work is done " +
    "fifty licenses at a time, each batch for itself. Should it be interrupted, the same request with the same " +
    "Idempotency-Key goes on where it stopped, and no license is changed twice; to extend more than fifty licenses, " +
    "the key has to be sent. After about eight seconds the work stops and answers with a next_cursor: send the " +
    "request with it as `cursor`, and with a new key, to go on.",
  group,
  access: member("licenses:view"),
  bodyLimit: listBody,
  body: z.discriminatedUnion("action", [
    act("revoke", { reason: reason.nullable().optional() }),
    act("reinstate", {}),
    act("delete", {}),
    act("reset_ips", {}),
    act("extend", durations),
    act("set_expiry", {
      expires_at: endTime
        .nullable()
        .meta({ description: "As when a license is created. Null for lifetime." }),
    }),
    act("set_max_ips", { max_ips: licenseFields.max_ips.unwrap() }),
    act("add_tags", { tags: tags.min(1) }),
    act("remove_tags", { tags: tags.min(1) }),
  ]),
  answer: z
    .object({
      matched: z.int().meta({ description: "How many were chosen." }),
      changed: z.int().meta({ description: "How many of them were, or would be, changed by it." }),
      dry_run: z.boolean(),
      next_cursor: z.string().nullable(),
    })
    .meta({ id: "BulkResult" }),
  status: 200,
});

import { z } from "zod";
import { listBody } from "../api/body-limit.ts";
import {
  durations,
  license,
  licenseFields,
  licenseFilter,
  newLicense,
  reason,
  tags,
} from "../api/license-fields.ts";
import { member, route } from "../api/route.ts";
import { endTime, failureShape, id, page, pageQuery, time } from "../api/shapes.ts";
import { fieldCode } from "../problems/problems.ts";
import { deviceIds } from "./ips.ts";

const group = "Licenses";

export const revokeLicense = route({
  id: "revokeLicense",
  method: "POST",
  path: "/licenses/{license_id}/revoke",
  summary: "Revoke a license",
  description: "Takes effect with the next validation. Revoking a revoked license changes nothing.",
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
  summary: "Reinstate a revoked license",
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
    "Extends it to a time, or by a duration from its expiry or from now, whichever is later. A term that has not " +
    "started becomes longer.",
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
  summary: "Replace a license key",
  description:
    "Validations of the old key return `license_not_found` from the next request on. IP addresses stay registered.",
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
  summary: "Remove all IP addresses of a license",
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
        "The state of the newest email with the key. `none`: there was none in the last 90 days. `queued`: it is about to be sent. `over_limit`: it is waiting because of the daily limit. `failed`: it could not be sent. `kept`: it is in the outbox, because this server sends no emails.",
    }),
    recipient: z
      .string()
      .nullable()
      .meta({ description: "The recipient's email address. Null if the customer has none." }),
    written_at: time.nullable(),
    sent_at: time.nullable(),
    failure: failureShape.nullable().meta({ description: "Why the last attempt failed." }),
    subject: z.string().nullable(),
    text: z
      .string()
      .nullable()
      .meta({ description: "The text that the email would have now, so that you can send it yourself." }),
  })
  .meta({ id: "LicenseEmail" });

export const getLicenseEmail = route({
  id: "getLicenseEmail",
  method: "GET",
  path: "/licenses/{license_id}/email",
  summary: "Get the license email and its delivery state",
  group,
  access: member("licenses:view"),
  answer: licenseEmail,
});

export const sendLicenseEmail = route({
  id: "sendLicenseEmail",
  method: "POST",
  path: "/licenses/{license_id}/email",
  summary: "Send the license key to the customer by email",
  description:
    "Sends the email even if the product does not do so automatically, at most once a minute for each license. It counts towards the organization's daily limit.",
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
      .meta({ description: "The IP address, or an IPv6 network that counts as one, such as 2001:db8::/64." }),
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
  summary: "List the IP addresses of a license",
  group,
  access: member("licenses:view", "licenses:update", "licenses:reset_ips"),
  query: pageQuery,
  answer: page(
    licenseIp
      .extend({
        blocked: z.boolean().meta({
          description: "Whether a block at any level currently refuses this IP address for this license.",
        }),
        device_ids: deviceIds,
      })
      .meta({ id: "ListedLicenseIp" }),
  ),
});

export const addLicenseIp = route({
  id: "addLicenseIp",
  method: "POST",
  path: "/licenses/{license_id}/ips",
  summary: "Register an IP address",
  description:
    "Uses one of the license's slots, as a validation from this IP address would. Registering it again changes nothing.",
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
  summary: "Remove an IP address",
  description: "Its slot is free from the next validation on.",
  group,
  access: member("licenses:reset_ips"),
  problems: ["license_not_found", "ip_not_registered"],
});

const maxSelected = 10_000;

const act = <Name extends string, Shape extends z.ZodRawShape>(action: Name, shape: Shape) =>
  z.strictObject({
    action: z.literal(action),
    selection: z
      .strictObject({
        ids: z.array(id).min(1).max(maxSelected).optional(),
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
  summary: "Change licenses in bulk",
  description:
    "Also requires the permission of the action. A dry run changes nothing and returns how many licenses would change. " +
    "Licenses are changed in batches of fifty. If the request is interrupted, repeat it with the same " +
    "Idempotency-Key: it continues where it stopped, and no license is changed twice. Extending more than fifty " +
    "licenses requires the key. After about eight seconds, the response has a `next_cursor`: send the request again " +
    "with it as `cursor`, and with a new key, to continue.",
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
      expires_at: endTime.nullable().meta({
        description:
          "A date and time, or a date, which means the end of that day in the organization's time zone. Null for lifetime.",
      }),
    }),
    act("set_max_ips", { max_ips: licenseFields.max_ips.unwrap() }),
    act("add_tags", { tags: tags.min(1) }),
    act("remove_tags", { tags: tags.min(1) }),
  ]),
  answer: z
    .object({
      matched: z.int().meta({ description: "The number of selected licenses." }),
      changed: z
        .int()
        .meta({ description: "The number of licenses that changed, or would change in a dry run." }),
      dry_run: z.boolean(),
      next_cursor: z.string().nullable(),
    })
    .meta({ id: "BulkResult" }),
  status: 200,
});

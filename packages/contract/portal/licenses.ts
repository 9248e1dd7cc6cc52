import { z } from "zod";
import { smallBody } from "../api/body-limit.ts";
import { customer, route } from "../api/route.ts";
import { discordId, email, id, page, pageQuery } from "../api/shapes.ts";
import { licenseSummary, portalLicense, portalTransfer, seller } from "./shapes.ts";

const group = "Customer portal: licenses";

/** What every change by a customer can be refused for. */
const changeProblems = [
  "license_not_found",
  "license_is_revoked",
  "product_not_active",
  "self_service_off",
  "too_many_attempts",
] as const;

export const listPortalLicenses = route({
  id: "listPortalLicenses",
  method: "GET",
  path: "/licenses",
  summary: "List your licenses",
  description:
    "The licenses of one seller together, newest first. The list starts with at most 20 of each seller; `sellers_with_more` names those that have more, which follow at its end, or alone with `organization_id`. A page can have fewer licenses than `limit`, or none, although there is a next one.",
  group,
  access: customer,
  query: pageQuery.extend({
    organization_id: id.optional().meta({ description: "Only those of one seller." }),
  }),
  answer: page(licenseSummary).extend({
    sellers_with_more: z
      .array(seller)
      .meta({ description: "Sellers of this page that have more licenses than are listed." }),
  }),
});

export const findPortalLicense = route({
  id: "findPortalLicense",
  method: "POST",
  path: "/licenses/find",
  summary: "Find your licenses by their key",
  description: "Empty if none of your licenses has this key.",
  group,
  access: customer,
  bodyLimit: smallBody,
  body: z.strictObject({ license_key: z.string().min(1).max(200) }),
  answer: z.object({ data: z.array(licenseSummary).max(10) }),
  status: 200,
  problems: ["too_many_attempts"],
});

export const getPortalLicense = route({
  id: "getPortalLicense",
  method: "GET",
  path: "/licenses/{license_id}",
  summary: "Get one of your licenses",
  group,
  access: customer,
  answer: portalLicense,
  problems: ["license_not_found"],
});

export const revealPortalKey = route({
  id: "revealPortalKey",
  method: "POST",
  path: "/licenses/{license_id}/reveal-key",
  summary: "Show the license key",
  description: "The seller's audit log records it.",
  group,
  access: customer,
  answer: z.object({ license_key: z.string() }).meta({ id: "PortalKey" }),
  status: 200,
  problems: ["license_not_found", "too_many_attempts"],
});

export const removePortalIp = route({
  id: "removePortalIp",
  method: "DELETE",
  path: "/licenses/{license_id}/ips/{ip}",
  summary: "Remove an IP address",
  description: "Uses one of your removals. Its slot is free from the next validation on.",
  group,
  access: customer,
  answer: portalLicense,
  status: 200,
  problems: [...changeProblems, "ip_not_registered", "ip_removals_used_up"],
});

export const resetPortalIps = route({
  id: "resetPortalIps",
  method: "POST",
  path: "/licenses/{license_id}/reset-ips",
  summary: "Remove all IP addresses",
  description: "Uses one of your removals for each, and is refused if they are not enough for all.",
  group,
  access: customer,
  answer: portalLicense,
  status: 200,
  problems: [...changeProblems, "ip_removals_not_enough"],
});

export const rotatePortalKey = route({
  id: "rotatePortalKey",
  method: "POST",
  path: "/licenses/{license_id}/rotate-key",
  summary: "Replace the license key",
  description: "The old key no longer works from the next validation on. IP addresses stay registered.",
  group,
  access: customer,
  answer: portalLicense.extend({ license_key: z.string() }).meta({ id: "PortalLicenseWithKey" }),
  status: 200,
  problems: [...changeProblems, "license_is_expired", "key_rotation_limit_reached"],
});

export const requestTransfer = route({
  id: "requestTransfer",
  method: "POST",
  path: "/licenses/{license_id}/transfers",
  summary: "Request the transfer of a license",
  description:
    "To exactly one of an email address and a Discord ID. If the seller approves transfers automatically, the response already has the state `approved`, and the license is no longer yours.",
  group,
  access: customer,
  bodyLimit: smallBody,
  body: z.strictObject({
    email: email.optional(),
    discord_id: discordId.optional(),
    message: z.string().trim().max(1_000).nullable().optional().meta({ description: "For the seller." }),
  }),
  answer: portalTransfer,
  problems: [
    "transfers_not_offered",
    "transfer_pending",
    "transfer_product_inactive",
    "transfer_license_revoked",
    "transfer_limit_reached",
  ],
});

export const listPortalTransfers = route({
  id: "listPortalTransfers",
  method: "GET",
  path: "/transfers",
  summary: "List your transfer requests, newest first",
  group,
  access: customer,
  query: pageQuery,
  answer: page(portalTransfer),
});

export const cancelTransfer = route({
  id: "cancelTransfer",
  method: "POST",
  path: "/transfers/{transfer_id}/cancel",
  summary: "Cancel a transfer request",
  group,
  access: customer,
  answer: portalTransfer,
  status: 200,
  problems: ["transfer_not_pending"],
});

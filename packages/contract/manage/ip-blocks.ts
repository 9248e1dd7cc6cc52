import { formatCidr, parseCidr } from "@countersign/domain/ip/cidr";
import { z } from "zod";
import { member, route } from "../api/route.ts";
import { id, note, page, pageQuery, time, updatedAtGuard } from "../api/shapes.ts";
import { fieldCode } from "../problems/problems.ts";

const group = "IP blocks";

export const ipBlock = z
  .object({
    id,
    level: z.enum(["platform", "organization", "customer", "license"]),
    cidr: z.string(),
    note: z.string().nullable(),
    expires_at: time.nullable().meta({ description: "When the block ends. Null if it never does." }),
    created_by: z
      .string()
      .nullable()
      .meta({ description: "The name of the user or access token that created it." }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "IpBlock" });

/**
 * An IP address or a network. Bits after the prefix are cleared: `10.1.2.3/8` is stored, and shown, as `10.0.0.0/8`.
 */
export const cidr = z
  .string()
  .trim()
  .max(64)
  .transform((text, context) => {
    const parsed = parseCidr(text);
    if (parsed !== null) return formatCidr(parsed);
    context.addIssue({ code: "custom", message: fieldCode("not_an_ip_or_network") });
    return z.NEVER;
  })
  .meta({ description: "An IPv4 or IPv6 address, or a network. Bits after the prefix are cleared." });

export const newIpBlock = z.strictObject({
  cidr,
  note: note.nullable().default(null),
  expires_at: time.nullable().default(null),
});

export const ipBlockChanges = z.strictObject({
  note: note.nullable().optional(),
  expires_at: time.nullable().optional(),
  ...updatedAtGuard,
});

const writing = member("ip_blocks:manage");
const holds =
  "Takes effect with the next request, also for registered IP addresses and while the IP system is off.";

/** The same four routes at each level; only their texts and permissions differ. */
const organizationBlocks = "/organizations/{organization_id}/ip-blocks";
const customerBlocks = "/organizations/{organization_id}/customers/{customer_id}/ip-blocks";
const licenseBlocks = "/licenses/{license_id}/ip-blocks";

export const listOrganizationIpBlocks = route({
  id: "listOrganizationIpBlocks",
  method: "GET",
  path: organizationBlocks,
  summary: "List an organization's IP blocks, oldest first",
  group,
  access: member("licenses:view", "ip_blocks:manage"),
  query: pageQuery,
  answer: page(ipBlock),
});

export const addOrganizationIpBlock = route({
  id: "addOrganizationIpBlock",
  method: "POST",
  path: organizationBlocks,
  summary: "Block an IP address or network for all licenses of an organization",
  description: holds,
  group,
  access: writing,
  body: newIpBlock,
  answer: ipBlock,
  problems: ["organization_not_found", "block_exists", "block_limit_reached"],
});

export const updateOrganizationIpBlock = route({
  id: "updateOrganizationIpBlock",
  method: "PATCH",
  path: `${organizationBlocks}/{block_id}`,
  summary: "Update an organization's IP block",
  group,
  access: writing,
  body: ipBlockChanges,
  answer: ipBlock,
  problems: ["organization_not_found", "block_not_found"],
});

export const removeOrganizationIpBlock = route({
  id: "removeOrganizationIpBlock",
  method: "DELETE",
  path: `${organizationBlocks}/{block_id}`,
  summary: "Remove an organization's IP block",
  group,
  access: writing,
  problems: ["organization_not_found", "block_not_found"],
});

export const listCustomerIpBlocks = route({
  id: "listCustomerIpBlocks",
  method: "GET",
  path: customerBlocks,
  summary: "List a customer's IP blocks, oldest first",
  group,
  access: member("customers:view", "ip_blocks:manage"),
  query: pageQuery,
  answer: page(ipBlock),
  problems: ["customer_not_found"],
});

export const addCustomerIpBlock = route({
  id: "addCustomerIpBlock",
  method: "POST",
  path: customerBlocks,
  summary: "Block an IP address or network for a customer's licenses",
  description: holds,
  group,
  access: writing,
  body: newIpBlock,
  answer: ipBlock,
  problems: ["organization_not_found", "customer_not_found", "block_exists", "block_limit_reached"],
});

export const updateCustomerIpBlock = route({
  id: "updateCustomerIpBlock",
  method: "PATCH",
  path: `${customerBlocks}/{block_id}`,
  summary: "Update a customer's IP block",
  group,
  access: writing,
  body: ipBlockChanges,
  answer: ipBlock,
  problems: ["organization_not_found", "customer_not_found", "block_not_found"],
});

export const removeCustomerIpBlock = route({
  id: "removeCustomerIpBlock",
  method: "DELETE",
  path: `${customerBlocks}/{block_id}`,
  summary: "Remove a customer's IP block",
  group,
  access: writing,
  problems: ["organization_not_found", "customer_not_found", "block_not_found"],
});

export const listLicenseIpBlocks = route({
  id: "listLicenseIpBlocks",
  method: "GET",
  path: licenseBlocks,
  summary: "List a license's IP blocks, oldest first",
  group,
  access: member("licenses:view", "ip_blocks:manage"),
  query: pageQuery,
  answer: page(ipBlock),
});

export const addLicenseIpBlock = route({
  id: "addLicenseIpBlock",
  method: "POST",
  path: licenseBlocks,
  summary: "Block an IP address or network for a license",
  description: holds,
  group,
  access: writing,
  body: newIpBlock,
  answer: ipBlock,
  problems: ["license_not_found", "block_exists", "block_limit_reached"],
});

export const updateLicenseIpBlock = route({
  id: "updateLicenseIpBlock",
  method: "PATCH",
  path: `${licenseBlocks}/{block_id}`,
  summary: "Update a license's IP block",
  group,
  access: writing,
  body: ipBlockChanges,
  answer: ipBlock,
  problems: ["license_not_found", "block_not_found"],
});

export const removeLicenseIpBlock = route({
  id: "removeLicenseIpBlock",
  method: "DELETE",
  path: `${licenseBlocks}/{block_id}`,
  summary: "Remove a license's IP block",
  group,
  access: writing,
  problems: ["license_not_found", "block_not_found"],
});

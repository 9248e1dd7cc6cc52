import { z } from "zod";
import { cidr, ipBlock } from "./ip-blocks.ts";
import { member, route } from "./route.ts";
import { id, inSteps, page, pageQuery, time } from "./shapes.ts";

const group = "IP addresses";

const sighting = z
  .object({
    ip: z.string().meta({ description: "As products count it: an IPv6 caller is usually its /64." }),
    first_seen_at: time,
    last_seen_at: time,
    hits: z.int(),
    license_count: z
      .int()
      .meta({ description: "How many of the organization's licenses were used from it." }),
  })
  .meta({ id: "IpSighting" });

const listedSighting = sighting
  .extend({
    blocked: z.boolean().meta({
      description: "Whether the organization or the platform blocks it now, for every license.",
    }),
  })
  .meta({ id: "ListedIpSighting" });

export const listIps = route({
  id: "listIps",
  method: "GET",
  path: "/organizations/{organization_id}/ips",
  summary: "List the addresses that use the most licenses",
  description:
    "One address with forty licenses is a key that is shared, or a host of many customers. With cidr, those in a " +
    `network, in the order of their texts. ${inSteps}`,
  group,
  access: member("licenses:view"),
  query: pageQuery.extend({
    sort: z
      .enum(["license_count", "ip"])
      .optional()
      .meta({ description: "license_count unless cidr is given, which is listed by ip alone." }),
    min_licenses: z.coerce.number().int().min(1).default(1),
    cidr: cidr.optional(),
  }),
  answer: page(listedSighting),
});

export const getIp = route({
  id: "getIp",
  method: "GET",
  path: "/organizations/{organization_id}/ips/{ip}",
  summary: "Read what is known of an address",
  description:
    "An IPv4 or IPv6 address, or an IPv6 /64 with its slash as %2F. An IPv6 address may have been counted both as itself " +
    "and as its /64, by products that differ in this.",
  group,
  access: member("licenses:view"),
  answer: z
    .object({
      ip: z.string(),
      sightings: z.array(sighting),
      blocks: z
        .array(ipBlock.extend({ customer_id: id.nullable(), license_id: id.nullable() }))
        .meta({ description: "The organization's blocks that hold for it now, at all levels." }),
      blocked_by_platform: z.boolean(),
    })
    .meta({ id: "IpAddress" }),
});

export const listIpLicenses = route({
  id: "listIpLicenses",
  method: "GET",
  path: "/organizations/{organization_id}/ips/{ip}/licenses",
  summary: "List the licenses that an address is registered at or was seen with",
  group,
  access: member("licenses:view"),
  query: pageQuery,
  answer: page(
    z
      .object({
        license_id: id,
        license_key: z.string(),
        product_id: id,
        global_customer_id: id.nullable(),
        customer_email: z.string().nullable(),
        customer_name: z.string().nullable(),
        status: z.enum(["active", "revoked", "expired"]),
        registered_at: time.nullable().meta({ description: "Null where the address holds no place." }),
        first_seen_at: time.nullable(),
        last_seen_at: time.nullable(),
        hits: z.int(),
      })
      .meta({ id: "IpLicense" }),
  ),
});

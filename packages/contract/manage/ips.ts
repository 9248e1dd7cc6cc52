import { z } from "zod";
import { member, platformAdmin, route } from "../api/route.ts";
import { id, inSteps, page, pageQuery, time } from "../api/shapes.ts";
import { cidr, ipBlock } from "./ip-blocks.ts";

const group = "IP addresses";

export const deviceIds = z.array(z.string()).nullable().meta({
  description:
    "The device IDs of its latest requests, as far as the request log has them: the newest first, at most 10. Null without `requests:view`.",
});

const sighting = z
  .object({
    ip: z
      .string()
      .meta({ description: "The IP address as products count it: usually the /64 network for IPv6." }),
    first_seen_at: time,
    last_seen_at: time,
    hits: z.int(),
    license_count: z.int().meta({ description: "The number of the organization's licenses used from it." }),
  })
  .meta({ id: "IpSighting" });

const listedSighting = sighting
  .extend({
    blocked: z.boolean().meta({
      description: "Whether the organization or the platform currently blocks it for every license.",
    }),
    device_ids: deviceIds,
  })
  .meta({ id: "ListedIpSighting" });

/** How lists of IP addresses are sorted and filtered. */
export const ipListQuery = pageQuery.extend({
  sort: z
    .enum(["license_count", "ip"])
    .optional()
    .meta({ description: "`license_count` by default. With `cidr`, only `ip` is possible." }),
  min_licenses: z.coerce.number().int().min(1).default(1),
  cidr: cidr.optional(),
});

export const listIps = route({
  id: "listIps",
  method: "GET",
  path: "/organizations/{organization_id}/ips",
  summary: "List IP addresses by the number of licenses",
  description:
    "An IP address with many licenses is a shared key, or a host of many customers. With `cidr`, lists the IP addresses " +
    `in a network, in alphabetical order. ${inSteps}`,
  group,
  access: member("licenses:view"),
  query: ipListQuery,
  answer: page(listedSighting),
});

export const getIp = route({
  id: "getIp",
  method: "GET",
  path: "/organizations/{organization_id}/ips/{ip}",
  summary: "Get an IP address",
  description:
    "Takes an IPv4 or IPv6 address, or an IPv6 /64 network. Depending on the product, an IPv6 address counts as itself " +
    "or as its /64, so that there can be two sightings.",
  group,
  access: member("licenses:view"),
  answer: z
    .object({
      ip: z.string(),
      sightings: z.array(sighting),
      blocks: z
        .array(ipBlock.extend({ customer_id: id.nullable(), license_id: id.nullable() }))
        .meta({ description: "The organization's blocks that currently apply to it, at all levels." }),
      blocked_by_platform: z.boolean(),
      device_ids: deviceIds,
    })
    .meta({ id: "IpAddress" }),
});

export const listIpLicenses = route({
  id: "listIpLicenses",
  method: "GET",
  path: "/organizations/{organization_id}/ips/{ip}/licenses",
  summary: "List the licenses of an IP address",
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
        registered_at: time
          .nullable()
          .meta({ description: "Null if the IP address is not registered on the license." }),
        first_seen_at: time.nullable(),
        last_seen_at: time.nullable(),
        hits: z.int(),
        device_ids: deviceIds,
      })
      .meta({ id: "IpLicense" }),
  ),
});

const platformDeviceIds = z.array(z.string()).meta({
  description:
    "The device IDs of its latest requests, as far as the request log has them: the newest first, at most 10.",
});

const platformSighting = z
  .object({
    ip: z.string(),
    first_seen_at: time,
    last_seen_at: time,
    hits: z.int(),
    license_count: z
      .int()
      .meta({ description: "The number of licenses used from it, of all organizations." }),
    blocked: z.boolean().meta({ description: "Whether the platform blocks it." }),
    device_ids: platformDeviceIds,
  })
  .meta({ id: "PlatformIpSighting" });

export const listPlatformIps = route({
  id: "listPlatformIps",
  method: "GET",
  path: "/admin/ips",
  summary: "List the IP addresses of all organizations by the number of licenses",
  description: `With \`cidr\`, lists the IP addresses in a network, in alphabetical order. ${inSteps}`,
  group: "Platform",
  access: platformAdmin,
  query: ipListQuery,
  answer: page(platformSighting),
});

export const getPlatformIp = route({
  id: "getPlatformIp",
  method: "GET",
  path: "/admin/ips/{ip}",
  summary: "Get an IP address, and the organizations that saw it",
  group: "Platform",
  access: platformAdmin,
  answer: z
    .object({
      ip: z.string(),
      sightings: z.array(platformSighting.omit({ blocked: true, device_ids: true })),
      blocked: z.boolean(),
      device_ids: platformDeviceIds,
      organizations: z
        .array(
          z.object({
            organization_id: id,
            name: z.string(),
            first_seen_at: time,
            last_seen_at: time,
            hits: z.int(),
            license_count: z.int(),
            device_ids: platformDeviceIds,
          }),
        )
        .meta({ description: "The 100 of which it used the most licenses." }),
    })
    .meta({ id: "PlatformIpAddress" }),
});

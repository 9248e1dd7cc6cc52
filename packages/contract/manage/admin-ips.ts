import { z } from "zod";
import { platformAdmin, route } from "../api/route.ts";
import { id, inSteps, page, time } from "../api/shapes.ts";
import { ipListQuery } from "./ips.ts";

const deviceIds = z.array(z.string()).meta({
  description:
    "The device IDs of its latest requests, as far as the request log has them: the newest first, at most 10.",
});

const group = "Platform";
const access = platformAdmin;

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
    device_ids: deviceIds,
  })
  .meta({ id: "PlatformIpSighting" });

export const listPlatformIps = route({
  id: "listPlatformIps",
  method: "GET",
  path: "/admin/ips",
  summary: "List the IP addresses of all organizations by the number of licenses",
  description: `With \`cidr\`, lists the IP addresses in a network, in alphabetical order. ${inSteps}`,
  group,
  access,
  query: ipListQuery,
  answer: page(platformSighting),
});

export const getPlatformIp = route({
  id: "getPlatformIp",
  method: "GET",
  path: "/admin/ips/{ip}",
  summary: "Get an IP address, and the organizations that saw it",
  group,
  access,
  answer: z
    .object({
      ip: z.string(),
      sightings: z.array(platformSighting.omit({ blocked: true, device_ids: true })),
      blocked: z.boolean(),
      device_ids: deviceIds,
      organizations: z
        .array(
          z.object({
            organization_id: id,
            name: z.string(),
            first_seen_at: time,
            last_seen_at: time,
            hits: z.int(),
            license_count: z.int(),
            device_ids: deviceIds,
          }),
        )
        .meta({ description: "The 100 of which it used the most licenses." }),
    })
    .meta({ id: "PlatformIpAddress" }),
});

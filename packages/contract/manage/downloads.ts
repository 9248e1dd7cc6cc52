import { parseVersion } from "@countersign/domain/versions/version";
import { z } from "zod";
import { member, route } from "../api/route.ts";
import { id, name, webUrl } from "../api/shapes.ts";
import { fieldCode } from "../problems/problems.ts";

const group = "Products";

const download = z
  .object({
    id,
    title: z.string(),
    url: z.string(),
    min_version: z.string().nullable().meta({
      description: "Only licenses that can use this version or a newer one show the download. Null for all.",
    }),
    checksum: z.string().nullable().meta({ description: "Such as a SHA-256, for customers to compare." }),
  })
  .meta({ id: "ProductDownload" });

const downloads = z.object({ data: z.array(download).max(50) });

export const getDownloads = route({
  id: "getDownloads",
  method: "GET",
  path: "/products/{product_id}/downloads",
  summary: "Get a product's downloads in the customer portal",
  group,
  access: member("products:view", "products:manage"),
  answer: downloads,
});

export const replaceDownloads = route({
  id: "replaceDownloads",
  method: "PUT",
  path: "/products/{product_id}/downloads",
  summary: "Replace a product's downloads",
  description: "In the order in which customers see them.",
  group,
  access: member("products:manage"),
  body: z.strictObject({
    data: z
      .array(
        z.strictObject({
          title: name,
          url: webUrl,
          min_version: z
            .string()
            .trim()
            .refine((text) => text === "" || parseVersion(text) !== null, {
              error: fieldCode("not_a_version"),
            })
            .nullable()
            .optional(),
          checksum: z.string().trim().min(1).max(200).nullable().optional(),
        }),
      )
      .max(50),
  }),
  answer: downloads,
  problems: ["product_not_found"],
});

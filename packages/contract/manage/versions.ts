import { parseVersionRecord } from "@countersign/domain/versions/catalog";
import { z } from "zod";
import { listBody } from "../api/body-limit.ts";
import { member, route } from "../api/route.ts";
import { page, pageQuery, time } from "../api/shapes.ts";
import { fieldCode } from "../problems/problems.ts";

const group = "Versions";

/** The maximum number of versions per product: limits what every node rereads after a change. */
export const maxVersions = 5_000;

export const version = z
  .string()
  .trim()
  .refine((text) => parseVersionRecord(text) !== null, {
    error: fieldCode("not_a_version_or_line"),
  });

const state = z.enum(["allowed", "deprecated", "latest", "blocked"]).meta({
  description:
    "Deprecated versions are still accepted. Only one version is `latest`: the previous one becomes `allowed`.",
});

export const productVersion = z
  .object({ version: z.string(), state, created_at: time })
  .meta({ id: "ProductVersion" });

const revision = z.int().meta({ description: "The revision of the list, which changes with every edit." });

export const listVersions = route({
  id: "listVersions",
  method: "GET",
  path: "/products/{product_id}/versions",
  summary: "List versions, newest first",
  description: "Sorted by version number, not by when they were added.",
  group,
  access: member("products:view", "products:manage"),
  query: pageQuery,
  answer: page(productVersion).extend({ revision }),
});

export const addVersion = route({
  id: "addVersion",
  method: "POST",
  path: "/products/{product_id}/versions",
  summary: "Add a version",
  description:
    "Takes an exact version such as 2.1.3, or a line such as 2.1.x; the most specific match applies. Versions are " +
    "checked if the product's `version_module_enabled` is on and the organization's plan is not Free.",
  group,
  access: member("products:manage"),
  body: z.strictObject({ version, state: state.default("allowed") }),
  answer: productVersion,
  problems: ["product_not_found", "version_exists", "version_limit_reached"],
});

export const replaceVersions = route({
  id: "replaceVersions",
  method: "PUT",
  path: "/products/{product_id}/versions",
  summary: "Replace all versions",
  description: "With `revision`, the request is refused if someone else changed the list after you read it.",
  group,
  access: member("products:manage"),
  bodyLimit: listBody,
  body: z.strictObject({
    versions: z.array(z.strictObject({ version, state })).max(maxVersions),
    revision: revision.optional(),
  }),
  answer: z.object({ data: z.array(productVersion), revision }).meta({ id: "ProductVersions" }),
  problems: ["product_not_found", "versions_changed_meanwhile"],
});

export const updateVersion = route({
  id: "updateVersion",
  method: "PATCH",
  path: "/products/{product_id}/versions/{version}",
  summary: "Update the state of a version",
  group,
  access: member("products:manage"),
  body: z.strictObject({ state }),
  answer: productVersion,
  problems: ["product_not_found", "version_not_found"],
});

export const deleteVersion = route({
  id: "deleteVersion",
  method: "DELETE",
  path: "/products/{product_id}/versions/{version}",
  summary: "Remove a version",
  description: "Versions that no other entry matches are refused from then on.",
  group,
  access: member("products:manage"),
  problems: ["product_not_found", "version_not_found"],
});

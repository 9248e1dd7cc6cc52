import { type ColumnMap, importFields } from "@countersign/domain/license-files/columns";
import { z } from "zod";
import { fileBody } from "../body-limit.ts";
import { fieldCode, fieldFault } from "../problems/problems.ts";
import { licenseFilter } from "./license-fields.ts";
import { member, route } from "./route.ts";
import { failureShape, fieldError, flagQuery, id, page, pageQuery, time } from "./shapes.ts";

const group = "License files";

const fileName = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}*$/u, fieldCode("not_one_line"))
  .meta({ description: "What the file is called, for the list of imports." });

const number = z.coerce.number();

/** A JSON object in the query, from a column of the file to a field, or to null for one to ignore. */
const columnMap = z
  .string()
  .max(20_000)
  .transform((text, check): ColumnMap => {
    const parsed = z.record(z.string(), z.enum(importFields).nullable()).safeParse(parsedJson(text));
    if (parsed.success) return parsed.data;
    check.addIssue({
      code: "custom",
      params: fieldFault("invalid_column_map", { allowed: importFields }),
    });
    return z.NEVER;
  })
  .meta({
    description:
      'What the columns of the file mean, where their names are not the fields\' own: a JSON object such as {"Key": "license_key", "Phone": null}. Null leaves a column out.',
  });

export const importOptions = {
  dry_run: flagQuery.default(false),
  mode: z
    .enum(["all_or_nothing", "row_by_row"])
    .default("all_or_nothing")
    .meta({ description: "Whether one row that is wrong keeps all the others out." }),
  on_existing: z.enum(["fail", "skip", "update"]).default("fail").meta({
    description:
      "What to do with a row whose key the product has already. `update` also needs the permissions `licenses:update` and `licenses:revoke`.",
  }),
  send_events: flagQuery.default(false).meta({
    description:
      "Whether each license that is made or changed is told of as an event. Should an import that has to be whole be " +
      "taken back, that is told as well.",
  }),
};

const job = {
  id,
  organization_id: id,
  product_id: id,
  state: z
    .enum([
      "receiving",
      "waiting",
      "checking",
      "writing",
      "undoing",
      "finished",
      "failed",
      "cancelled",
      "undone",
    ])
    .meta({ description: "It ends as finished, failed, cancelled or undone." }),
  file_name: z.string().nullable().meta({ description: "As its sender named it." }),
  format: z.enum(["csv", "jsonl"]),
  dry_run: z.boolean(),
  mode: z.enum(["all_or_nothing", "row_by_row"]),
  on_existing: z.enum(["fail", "skip", "update"]),
  send_events: z.boolean(),
  columns: z.record(z.string(), z.string().nullable()),
  bytes_total: z.int(),
  bytes_done: z.int(),
  rows_total: z.int().nullable().meta({ description: "Null until the file was read to its end." }),
  rows_done: z.int(),
  created: z.int().meta({ description: "In a dry run: how many would be." }),
  updated: z.int(),
  skipped: z.int(),
  failed: z.int().meta({ description: "Rows that are wrong." }),
  error_count: z.int(),
  failure: failureShape.nullable().meta({ description: "Why it failed as a whole." }),
  created_by: z.string(),
  created_at: time,
  updated_at: time,
  finished_at: time.nullable(),
  undo_until: time.nullable().meta({ description: "Until when it can be undone; null when it cannot." }),
  undo: z
    .object({
      requested_by: z.string(),
      requested_at: time,
      delete_used: z.boolean(),
      deleted: z.int(),
      restored: z.int(),
      kept: z.int().meta({ description: "Licenses that were used or changed since and stayed as they are." }),
    })
    .nullable()
    .meta({ description: "Who undid it, and what came of it so far." }),
};

const rowError = {
  ...fieldError.shape,
  column: z
    .string()
    .nullable()
    .meta({ description: "What the file calls it; null where it has no such column." }),
  value: z
    .string()
    .nullable()
    .meta({ description: "What the file has there, at most 100 characters of it." }),
};

export const licenseImport = z.object(job).meta({ id: "LicenseImport" });

export const licenseImportWithErrors = z
  .object({
    ...job,
    errors: z
      .array(
        z.object({
          row: z
            .int()
            .meta({ description: "As a spreadsheet counts: the first row of a CSV file is its header." }),
          ...rowError,
        }),
      )
      .meta({ description: "The first 1,000; error_count says how many there are in all." }),
  })
  .meta({ id: "LicenseImportWithErrors" });

export const importLicenses = route({
  id: "importLicenses",
  method: "POST",
  path: "/products/{product_id}/licenses/import",
  summary: "Import licenses from a file",
  description:
    "Send the file as the body, UTF-8, at most 100 MiB. CSV has the names of its columns in the first row; JSON Lines has an object in each. The names are those of an export, or columns says what they mean. Keys and times are kept as the file gives them; a row without a key gets a new one. Addresses in ips are registered now, or at the times in ips_registered_at, one for each. The answer comes once the file has arrived: read the import to see how far it is.",
  group,
  access: member("licenses:import"),
  query: z.object({ ...importOptions, columns: columnMap.default({}), file_name: fileName.optional() }),
  bodyTypes: ["text/csv", "application/x-ndjson"],
  bodyLimit: fileBody,
  answer: licenseImportWithErrors,
  status: 202,
  problems: ["product_closed_for_sale", "import_abandoned", "file_too_large"],
});

export const listLicenseImports = route({
  id: "listLicenseImports",
  method: "GET",
  path: "/products/{product_id}/imports",
  summary: "List imports, newest first",
  group,
  access: member("licenses:import"),
  query: pageQuery,
  answer: page(licenseImport),
});

export const getLicenseImport = route({
  id: "getLicenseImport",
  method: "GET",
  path: "/products/{product_id}/imports/{import_id}",
  summary: "Read an import: how far it is, and which rows are wrong",
  group,
  access: member("licenses:import"),
  answer: licenseImportWithErrors,
  problems: ["import_not_found"],
});

export const listOrganizationImports = route({
  id: "listOrganizationImports",
  method: "GET",
  path: "/organizations/{organization_id}/imports",
  summary: "List the imports of all products, newest first",
  group,
  access: member("licenses:import"),
  query: pageQuery,
  answer: page(licenseImport.extend({ product_name: z.string() }).meta({ id: "OrganizationLicenseImport" })),
});

export const listRejectedRows = route({
  id: "listRejectedRows",
  method: "GET",
  path: "/products/{product_id}/imports/{import_id}/rejected-rows",
  summary: "List the rows of an import that were rejected",
  description:
    "With their cells as the file has them, to be corrected and sent again. Kept for 30 days; the first 10,000 of them, or 5 MiB.",
  group,
  access: member("licenses:import"),
  query: pageQuery,
  answer: page(
    z
      .object({ row: z.int(), cells: z.array(z.string()), errors: z.array(z.object(rowError)) })
      .meta({ id: "RejectedRow" }),
  ).extend({ columns: z.array(z.string()).meta({ description: "The header of the file." }) }),
  problems: ["import_not_found"],
});

export const cancelLicenseImport = route({
  id: "cancelLicenseImport",
  method: "POST",
  path: "/products/{product_id}/imports/{import_id}/cancel",
  summary: "Cancel an import",
  description: "It stops after the rows it is at. What it imported until then stays, and can be undone.",
  group,
  access: member("licenses:import"),
  answer: licenseImportWithErrors,
  status: 200,
  problems: ["import_not_found", "import_finished"],
});

export const forecastImportUndo = route({
  id: "forecastImportUndo",
  method: "GET",
  path: "/products/{product_id}/imports/{import_id}/undo",
  summary: "See what undoing an import would do",
  group,
  access: member("licenses:import"),
  answer: z
    .object({
      created: z.int().meta({ description: "Licenses that it created and that are still there." }),
      used: z.int().meta({ description: "How many of these were used or changed since." }),
      updated: z.int().meta({ description: "Licenses that it updated and that are still there." }),
      changed: z
        .int()
        .meta({ description: "How many of these were changed since: they cannot be restored." }),
    })
    .meta({ id: "ImportUndoForecast" }),
  problems: ["import_not_found"],
});

export const undoLicenseImport = route({
  id: "undoLicenseImport",
  method: "POST",
  path: "/products/{product_id}/imports/{import_id}/undo",
  summary: "Undo an import",
  description:
    "Deletes the licenses that it created, and restores those that it updated, within 30 days of the import. Licenses that were used or changed since stay as they are; with delete_used, created ones are deleted also then. Customers stay. Needs the permission licenses:delete, and for updated licenses also licenses:update and licenses:revoke. Read the import to see how far it is.",
  group,
  access: member("licenses:import"),
  body: z.strictObject({ delete_used: z.boolean().default(false) }),
  answer: licenseImportWithErrors,
  status: 202,
  problems: [
    "import_not_found",
    "import_undone",
    "import_running",
    "import_changed_nothing",
    "import_too_old",
  ],
});

export const exportLicenses = route({
  id: "exportLicenses",
  method: "GET",
  path: "/organizations/{organization_id}/licenses/export",
  summary: "Export licenses as a file",
  description:
    "The oldest first. In a CSV file an apostrophe precedes what a spreadsheet would run as a formula, also after a semicolon or a line break within a cell; the import takes it off again. An export that is imported gives the same licenses, but for their ids and updated_at.",
  group,
  access: member("licenses:export"),
  query: z.object({
    format: z.enum(["csv", "jsonl"]).default("csv"),
    q: licenseFilter.q.optional(),
    status: licenseFilter.status.optional(),
    product_id: licenseFilter.product_id.optional(),
    customer_id: licenseFilter.customer_id.optional(),
    tag: licenseFilter.tag.optional(),
    expires_within_days: number.pipe(licenseFilter.expires_within_days).optional(),
    never_used: flagQuery.optional(),
    min_ips: number.pipe(licenseFilter.min_ips).optional(),
    has_notes: flagQuery.optional(),
  }),
  answer: z.string(),
  answerType: "text/csv",
});

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

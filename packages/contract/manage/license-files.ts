import { type ColumnMap, importFields } from "@countersign/domain/license-files/columns";
import { importSourceIds } from "@countersign/domain/license-files/sources";
import { plainLine } from "@countersign/domain/text/plain-line";
import { z } from "zod";
import { fileBody } from "../api/body-limit.ts";
import { furtherFilterQuery, licenseFilter } from "../api/license-fields.ts";
import { member, route } from "../api/route.ts";
import { email, failureShape, fieldError, flagQuery, id, page, pageQuery, time } from "../api/shapes.ts";
import { fieldCode, fieldFault } from "../problems/problems.ts";

const group = "License files";

const fileName = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(plainLine, fieldCode("not_one_line"))
  .meta({ description: "The name of the file, for the list of imports." });

/** A JSON object in the query that maps columns of the file to fields, or to null to ignore them. */
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
      'Maps columns of the file to fields where their names differ: a JSON object such as {"Key": "license_key", "Phone": null}. Null ignores a column.',
  });

export const importOptions = {
  dry_run: flagQuery.default(false),
  mode: z
    .enum(["all_or_nothing", "row_by_row"])
    .default("all_or_nothing")
    .meta({ description: "Whether one invalid row rejects the whole file, or only that row." }),
  on_existing: z.enum(["fail", "skip", "update"]).default("fail").meta({
    description:
      "What to do with a row whose key already exists. `update` also requires the permissions `licenses:update` and `licenses:revoke`.",
  }),
  source: z.enum(importSourceIds).optional().meta({
    description:
      "The service whose export the file is. Its columns are then mapped and converted as the guide about this service says; `columns` changes the field of a column.",
  }),
  default_customer_email: email.optional().meta({
    description: "The customer of new licenses for which the file names none.",
  }),
  send_events: flagQuery.default(false).meta({
    description:
      "Whether to record an event for each license that is created or changed, and for each that is reverted if an " +
      "`all_or_nothing` import fails.",
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
    .meta({ description: "The final states are `finished`, `failed`, `cancelled` and `undone`." }),
  file_name: z.string().nullable().meta({ description: "The name that was sent with the file." }),
  format: z.enum(["csv", "jsonl", "json"]),
  source: z.enum(importSourceIds).nullable(),
  dry_run: z.boolean(),
  mode: z.enum(["all_or_nothing", "row_by_row"]),
  on_existing: z.enum(["fail", "skip", "update"]),
  send_events: z.boolean(),
  columns: z.record(z.string(), z.string().nullable()),
  default_customer_email: z.string().nullable(),
  bytes_total: z.int(),
  bytes_done: z.int(),
  rows_total: z.int().nullable().meta({ description: "Null until the whole file has been read." }),
  rows_done: z.int(),
  created: z
    .int()
    .meta({ description: "The number of licenses that were created, or would be in a dry run." }),
  updated: z.int(),
  skipped: z.int().meta({
    description:
      "Rows whose key exists already, or that are no licenses, such as the totals of a list of sales.",
  }),
  failed: z.int().meta({ description: "The number of invalid rows." }),
  error_count: z.int(),
  failure: failureShape.nullable().meta({ description: "Why the whole import failed." }),
  created_by: z.string(),
  created_at: time,
  updated_at: time,
  finished_at: time.nullable(),
  undo_until: time
    .nullable()
    .meta({ description: "The end of the time in which it can be undone. Null if it cannot." }),
  undo: z
    .object({
      requested_by: z.string(),
      requested_at: time,
      delete_used: z.boolean(),
      deleted: z.int(),
      restored: z.int(),
      kept: z
        .int()
        .meta({ description: "Licenses that were used or changed since the import, and were kept." }),
    })
    .nullable()
    .meta({ description: "Who undid the import, and the result so far." }),
};

const rowError = {
  ...fieldError.shape,
  column: z.string().nullable().meta({ description: "The column in the file. Null if there is none." }),
  value: z.string().nullable().meta({ description: "The value in the file, up to 100 characters." }),
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
            .meta({ description: "The row number as in a spreadsheet: row 1 of a CSV file is its header." }),
          ...rowError,
        }),
      )
      .meta({ description: "The first 1,000 errors. `error_count` is the total." }),
  })
  .meta({ id: "LicenseImportWithErrors" });

export const importLicenses = route({
  id: "importLicenses",
  method: "POST",
  path: "/products/{product_id}/licenses/import",
  summary: "Import licenses from a file",
  description:
    "Send the file as the body, in UTF-8, at most 100 MiB. The first row of a CSV file has the column names; each line of a JSON Lines file is an object. A JSON document is an array of objects, or, with `source`, what the API of that service returns; several documents can follow each other. Names are those of an export, unless `columns` maps them. Keys and times are imported unchanged; a row without a key gets a new one. IP addresses in `ips` are registered now, or at the times in `ips_registered_at`. The response is sent when the file has arrived; get the import to see its progress.",
  group,
  access: member("licenses:import"),
  query: z.object({ ...importOptions, columns: columnMap.default({}), file_name: fileName.optional() }),
  bodyTypes: ["text/csv", "application/x-ndjson", "application/json"],
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
  summary: "Get an import with its progress and errors",
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
    "Returns the cells as in the file, so that you can correct and import them again. The first 10,000 rows, up to 5 MiB, are stored for 30 days.",
  group,
  access: member("licenses:import"),
  query: pageQuery,
  answer: page(
    z
      .object({ row: z.int(), cells: z.array(z.string()), errors: z.array(z.object(rowError)) })
      .meta({ id: "RejectedRow" }),
  ).extend({ columns: z.array(z.string()).meta({ description: "The column names of the file." }) }),
  problems: ["import_not_found"],
});

export const cancelLicenseImport = route({
  id: "cancelLicenseImport",
  method: "POST",
  path: "/products/{product_id}/imports/{import_id}/cancel",
  summary: "Cancel an import",
  description:
    "The import stops after the current batch. Licenses that were imported stay, and can be undone.",
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
  summary: "Preview undoing an import",
  group,
  access: member("licenses:import"),
  answer: z
    .object({
      created: z.int().meta({ description: "Licenses that the import created and that still exist." }),
      used: z.int().meta({ description: "How many of these were used or changed since the import." }),
      updated: z.int().meta({ description: "Licenses that the import updated and that still exist." }),
      changed: z
        .int()
        .meta({ description: "How many of these were changed since the import. They cannot be restored." }),
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
    "Deletes the licenses that the import created and restores those that it updated, within 30 days of the import. Licenses that were used or changed since are kept; with `delete_used`, created ones are deleted anyway. Customers are kept. Also requires the permission `licenses:delete` and, for updated licenses, `licenses:update` and `licenses:revoke`. Get the import to see its progress.",
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
  summary: "Export licenses to a file",
  description:
    "Oldest first. In CSV, an apostrophe precedes text that a spreadsheet would run as a formula, also after a semicolon or a line break within a cell; an import removes it. Importing an export results in the same licenses, except for `id` and `updated_at`.",
  group,
  access: member("licenses:export"),
  query: z.object({
    format: z.enum(["csv", "jsonl"]).default("csv"),
    q: licenseFilter.q.optional(),
    status: licenseFilter.status.optional(),
    product_id: licenseFilter.product_id.optional(),
    ...furtherFilterQuery,
  }),
  answer: z.string(),
  answerType: "text/csv",
  problems: ["too_many_exports"],
});

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

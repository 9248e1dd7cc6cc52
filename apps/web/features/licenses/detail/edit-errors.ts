import { ApiProblem } from "../../../api/problem.ts";

/** An error can name a path inside a field, such as custom_override.tier. */
export function errorAt(error: Error | null, field: string): string | null {
  if (!(error instanceof ApiProblem)) return null;
  const found = error.errors.find((one) => isAt(one.field, field));
  return (found?.field === field ? found.message : found?.withName) ?? null;
}

/** The names of the errors that are shown next to a field. */
export function furtherDetails(error: Error | null): string[] {
  if (!(error instanceof ApiProblem)) return [];
  return error.errors
    .map((one) => one.field)
    .filter((name) => shownFields.some((field) => isAt(name, field)));
}

function isAt(name: string, field: string): boolean {
  return name === field || name.startsWith(`${field}.`);
}

const shownFields = [
  "customer_email",
  "customer_name",
  "customer_discord_id",
  "expires_at",
  "term_seconds",
  "ip_system_enabled",
  "max_ips",
  "version_pinned",
  "version_range_min",
  "version_range_max",
  "tags",
  "notes",
  "metadata",
  "custom_override",
];

import type { PlatformFacts } from "@countersign/store/inspection";
import type { Config } from "../../base/config.ts";
import { archiveProblem } from "../audit-log/archive.ts";
import { type Check, ok, problem, warning } from "./check.ts";

/** Whether old entries can be archived, if that is set. */
export async function checkAuditLogArchive({ auditLogArchive: archive }: Config): Promise<Check[]> {
  if (archive === null || archive === "none") return [];
  const found = await archiveProblem(archive.folder);
  if (found === null)
    return [ok("audit-log", `Old entries of the audit log can be archived to ${archive.folder}.`)];
  const action =
    "Create it, or make it writable. Until then, no entry is deleted, and every hour it is tried again.";
  return [problem("audit-log", found, action)];
}

/** Whether a limit has no effect because nobody has said what happens to old entries. */
export function checkAuditLogLimits({ limitsAuditLog }: PlatformFacts, { auditLogArchive }: Config): Check[] {
  if (!limitsAuditLog || auditLogArchive !== null) return [];
  return [
    warning(
      "audit-log",
      "A plan or an organization limits how long its audit log is kept, but no entry is deleted, because COUNTERSIGN_AUDIT_LOG_ARCHIVE is not set.",
      "Set it to a folder that old entries are written to before they are deleted, or to none to delete them without an archive.",
    ),
  ];
}

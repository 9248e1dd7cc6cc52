import { maxAuditLogDays, minAuditLogDays } from "@countersign/domain/audit-log/audit-log-days";
import { z } from "zod";

/** Shapes that several platform admin routes share. */

export const atOnce = "Takes effect with the next request, on every node.";

export const reason = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .meta({ description: "The reason, which the affected users can see." });

export const q = z
  .string()
  .trim()
  .max(200)
  .optional()
  .meta({ description: "The text to search for. Case does not matter." });

export const counted = (most: string) => z.int().meta({ description: `Counted up to ${most}.` });

export const auditLogDays = (whenNull: string) =>
  z
    .int()
    .min(minAuditLogDays)
    .max(maxAuditLogDays)
    .nullable()
    .meta({
      description: `How many days the audit log is kept. Older entries are archived and then deleted, as COUNTERSIGN_AUDIT_LOG_ARCHIVE says; while it is not set, nothing is deleted. ${whenNull}`,
    });

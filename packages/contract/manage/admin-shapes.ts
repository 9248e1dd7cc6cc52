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

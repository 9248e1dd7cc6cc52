import { z } from "zod";

/** Shapes that several platform admin routes share. */

export const atOnce = "Holds from the next request on, on every node.";

export const reason = z.string().trim().min(1).max(1_000).meta({ description: "Shown to whom it concerns." });

export const q = z
  .string()
  .trim()
  .max(200)
  .optional()
  .meta({ description: "A part of it, in upper or lower case." });

export const counted = (most: string) => z.int().meta({ description: `Counted up to ${most}.` });

import { parseDuration } from "@countersign/domain/dates/duration";
import { timeZoneName } from "@countersign/domain/dates/time-zone";
import { languages } from "@countersign/domain/mail/languages";
import { z } from "zod";

/** Shapes that many resources share. */

export const id = z.string().min(1).max(64).meta({ description: "An identifier." });

export const time = z.iso
  .datetime({ offset: true, error: "should be a date and time such as 2031-01-02T03:04:05Z" })
  .meta({ description: "ISO 8601, in UTC when Countersign wrote it." });

/** When something expires. */
export const endTime = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: "should be a date and time such as 2031-01-02T03:04:05Z, or a date such as 2031-01-02",
  })
  .meta({
    description:
      "A date and time, or a date alone, which means the end of that day in the organization's time zone.",
  });

export const duration = z
  .string()
  .refine((text) => parseDuration(text) !== null, {
    error: "should be a duration such as P1Y, P6M, P2W or P10D, of a day to a hundred years",
  })
  .meta({
    description:
      "ISO 8601, in years, months, weeks and days. Counted by the calendar in the organization's time zone: P1Y from 20 November is 20 November, and P1M from 31 January the last day of February.",
  });

export const timeZone = z
  .string()
  .transform((text, check) => {
    const known = timeZoneName(text.trim());
    if (known !== null) return known;
    check.addIssue({ code: "custom", message: "should be an IANA time zone such as Europe/Berlin or UTC" });
    return z.NEVER;
  })
  .meta({ description: "An IANA time zone, such as Europe/Berlin." });

export const name = z
  .string()
  .trim()
  .min(1, "should not be empty")
  .max(100, "should have at most 100 characters");

export const note = z.string().max(10_000, "should have at most 10,000 characters");

export const email = z
  .string()
  .trim()
  .max(254, "should have at most 254 characters")
  .regex(/^[^\s@,;<>()"]+@[^\s@,;<>()"]+$/, "should be an e-mail address, such as ada@example.com");

export const locale = z
  .enum(languages, { error: `should be one of ${languages.join(", ")}` })
  .meta({ description: "The language that letters are written in." });

/** A list is read page by page: pass `next_cursor` back as `cursor`. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(4_000).optional(),
});

export function page<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().meta({ description: "Null on the last page." }),
  });
}

/** For lists that are searched without an index. */
export const inSteps =
  "A search reads a bounded part of the list for each page: a page may hold fewer than asked for, or none, and there " +
  "is more as long as next_cursor is not null.";

/** `true` and `false` in a query. */
export const flagQuery = z.enum(["true", "false"]).transform((text) => text === "true");

/** In addition to the changes: the `updated_at` that was read, to reject the request if someone else was faster. */
export const updatedAtGuard = { updated_at: time.optional() };

/** RFC 9457. */
export const problem = z
  .object({
    type: z
      .string()
      .meta({ description: "A stable name for the kind of problem, as an address below /problems." }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: "What is wrong and what would be right, in a sentence or two." }),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "Each field that is wrong, by its path in the body or query." }),
    first_answer: z.unknown().optional().meta({
      description:
        "With type /problems/secret-already-shown: the first answer to this request, without its secrets.",
    }),
    secret_fields: z
      .array(z.string())
      .optional()
      .meta({ description: "With it: the secrets that the first answer contained, by their paths." }),
    request_id: z.string(),
  })
  .meta({ id: "Problem" });

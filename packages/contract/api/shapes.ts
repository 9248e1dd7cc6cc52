import { parseDuration } from "@countersign/domain/dates/duration";
import { timeZoneName } from "@countersign/domain/dates/time-zone";
import { languages } from "@countersign/domain/mail/languages";
import { plainLine } from "@countersign/domain/text/plain-line";
import { z } from "zod";
import type { Param } from "../problems/declare.ts";
import { fieldCode } from "../problems/problems.ts";

/** Shapes that many resources share. */

export const id = z.string().min(1).max(64).meta({ description: "An identifier." });

export const time = z.iso
  .datetime({ offset: true, error: fieldCode("not_a_time") })
  .meta({ description: "ISO 8601. Responses are in UTC." });

/** When something expires. */
export const endTime = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: fieldCode("not_a_time_or_date"),
  })
  .meta({
    description:
      "A date and time, or a date, which means the end of that day in the organization's time zone.",
  });

export const duration = z
  .string()
  .refine((text) => parseDuration(text) !== null, {
    error: fieldCode("not_a_duration"),
  })
  .meta({
    description:
      "An ISO 8601 duration in years, months, weeks and days, in calendar units of the organization's time zone: P1Y from 20 November ends on 20 November, and P1M from 31 January on the last day of February.",
  });

export const timeZone = z
  .string()
  .transform((text, check) => {
    const known = timeZoneName(text.trim());
    if (known !== null) return known;
    check.addIssue({ code: "custom", message: fieldCode("not_a_time_zone") });
    return z.NEVER;
  })
  .meta({ description: "An IANA time zone, such as Europe/Berlin." });

/** Shown in lists, emails and dialogs, so it must not look like anything else there. */
export const name = z.string().trim().min(1).max(100).regex(plainLine, fieldCode("not_one_line"));

export const note = z.string().max(10_000);

export const email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@,;<>()"]+@[^\s@,;<>()"]+$/, fieldCode("not_an_email"))
  .regex(plainLine, fieldCode("not_an_email"));

/** A page that people open: no other scheme can be a link. */
export const webUrl = z
  .string()
  .trim()
  .max(2_000)
  .regex(/^https?:\/\/[^\s/@\\]+(?:[/?#][^\s\\]*)?$/i, fieldCode("not_a_web_url"));

export const locale = z.enum(languages).meta({ description: "The language of emails." });

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
  "A search reads a bounded part of the list for each page: a page can have fewer items than `limit`, or none, although " +
  "`next_cursor` is not null.";

/** `true` and `false` in a query. */
export const flagQuery = z.enum(["true", "false"]).transform((text) => text === "true");

/** In addition to the changes: the `updated_at` that was read, to reject the request if someone else changed it in the meantime. */
export const updatedAtGuard = { updated_at: time.optional() };

/** The values in the text of a code: strings, numbers, lists of strings, or another field error. */
const problemParams = z.record(z.string(), z.unknown() as z.ZodType<Param, Param>);

export const fieldError = z
  .object({
    field: z.string(),
    code: z.string().meta({ description: "What is wrong, for programs. Codes do not change." }),
    params: problemParams,
    message: z.string().meta({ description: "What is wrong, in English, starting with the field's name." }),
  })
  .meta({ id: "FieldError" });

/** Why something failed that the server did on its own. */
export const failureShape = z
  .object({
    code: z.string().meta({ description: "The reason, for programs. Codes do not change." }),
    params: problemParams,
    message: z.string().meta({ description: "The reason in English." }),
  })
  .meta({ id: "Failure" });

/** RFC 9457, with a code. */
export const problem = z
  .object({
    type: z.string().meta({ description: "The page that explains the code: /problems/<code>." }),
    title: z.string().meta({ description: "What the status means, in a few words." }),
    status: z.int(),
    detail: z.string().meta({ description: "The reason in English." }),
    code: z.string().meta({ description: "The reason, for programs. Codes do not change." }),
    params: problemParams.meta({ description: "The values in the text of the code." }),
    errors: z
      .array(fieldError)
      .optional()
      .meta({ description: "Each invalid field, by its path in the body or query." }),
    first_response: z.unknown().optional().meta({
      description: "With the code secret_already_shown: the first response, without its secrets.",
    }),
    secret_fields: z.array(z.string()).optional().meta({
      description: "With first_response: the paths of the secrets that the first response contained.",
    }),
    request_id: z.string(),
  })
  .meta({ id: "Problem" });

export const discordId = z
  .string()
  .trim()
  .regex(/^[0-9]{1,20}$/, fieldCode("not_a_discord_id"));

/** What Discord adds to the URL that it redirects a browser back to. */
export const discordReturnQuery = z.object({
  code: z.string().max(2_000).optional().meta({ description: "The authorization code from Discord." }),
  state: z.string().max(2_000).optional().meta({ description: "The state that was sent to Discord." }),
  error: z.string().max(2_000).optional().meta({ description: "The error code from Discord." }),
  error_description: z
    .string()
    .max(2_000)
    .optional()
    .meta({ description: "The error message from Discord." }),
});

import { customResponseProblems, type TemplateFault } from "../custom-response/check.ts";
import { maxDepth, parseCustomResponse } from "../custom-response/template.ts";
import { endOfDay, isDay, startOfDay } from "../dates/time-zone.ts";
import { countedAs, parseIpAddress } from "../ip/ip-address.ts";
import type { KeyFault } from "../licenses/key.ts";
import type { PinFault } from "../licenses/version-pin.ts";
import { plainLine } from "../text/plain-line.ts";

/**
 * Values as they appear in a file: text in CSV, anything in JSON Lines. Each reader returns the parsed value, or a
 * `Wrong` that says what is wrong with it.
 */
export class Wrong {
  readonly fault: ValueFault;
  /** Where in the field it is, from the outside in; empty for the whole field. */
  readonly path: readonly (string | number)[];

  constructor(fault: ValueFault, path: Wrong["path"] = []) {
    this.fault = fault;
    this.path = path;
  }
}

export type ValueFault =
  | KeyFault
  | PinFault
  | TemplateFault
  | { readonly code: PlainCode; readonly params: object }
  | { readonly code: "too_many"; readonly params: { readonly count: number } }
  | { readonly code: "out_of_range"; readonly params: { readonly min: number; readonly max: number } }
  | { readonly code: "not_one_of"; readonly params: { readonly allowed: readonly string[] } }
  | { readonly code: "conflicts_with"; readonly params: { readonly other: string } }
  | { readonly code: "status_not_revoked"; readonly params: { readonly status: string } }
  | {
      readonly code: "contains_no_ip" | "contains_ipv4_network";
      readonly params: { readonly value: string };
    }
  | {
      readonly code: "invalid_metadata";
      readonly params: { readonly max_kib: number; readonly max_depth: number };
    };

type PlainCode =
  | "expiry_missing"
  | "invalid_text"
  | "ip_times_mismatch"
  | "not_a_boolean"
  | "not_a_discord_id"
  | "not_a_list"
  | "not_a_string"
  | "not_a_time_or_date"
  | "not_an_email"
  | "not_one_line"
  | "reason_without_revocation"
  | "term_without_first_use";

function plain(code: PlainCode): Wrong {
  return new Wrong({ code, params: {} });
}

export function readText(value: unknown, maxLength: number): string | Wrong {
  if (typeof value !== "string") return plain("not_a_string");
  if (value.length > maxLength) return new Wrong({ code: "too_long", params: { count: maxLength } });
  if (unstorable.test(value)) return plain("invalid_text");
  return value;
}

/** A text that is shown as a name. */
export function readLine(value: unknown, maxLength: number): string | Wrong {
  const text = readText(value, maxLength);
  if (text instanceof Wrong) return text;
  const line = text.trim();
  return plainLine.test(line) ? line : plain("not_one_line");
}

export function readEmail(value: unknown): string | Wrong {
  const text = readText(value, 254);
  if (text instanceof Wrong) return text;
  const email = text.trim();
  return emailShape.test(email) && plainLine.test(email) ? email : plain("not_an_email");
}

export function readDiscordId(value: unknown): string | Wrong {
  // A number that large has already lost its last digits.
  if (typeof value !== "string") return plain("not_a_string");
  const id = value.trim();
  return /^\d{1,20}$/.test(id) ? id : plain("not_a_discord_id");
}

export function readFlag(value: unknown): boolean | Wrong {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.trim().toLowerCase() : String(value);
  if (word === "true" || word === "1" || word === "yes") return true;
  if (word === "false" || word === "0" || word === "no") return false;
  return plain("not_a_boolean");
}

export function readWholeNumber(value: unknown, min: number, max: number): number | Wrong {
  const number =
    typeof value === "number"
      ? value
      : typeof value === "string" && /^\s*\d{1,15}\s*$/.test(value)
        ? Number(value)
        : Number.NaN;
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  return new Wrong({ code: "out_of_range", params: { min, max } });
}

/** Milliseconds since 1970. A date alone is the start of that day in the time zone. */
export function readTime(value: unknown, timeZone: string): number | Wrong {
  return readMoment(value, (day) => startOfDay(day, timeZone));
}

/** The same for an end: a date alone is the end of that day. */
export function readEnd(value: unknown, timeZone: string): number | Wrong {
  return readMoment(value, (day) => endOfDay(day, timeZone));
}

function readMoment(value: unknown, momentOf: (day: string) => number): number | Wrong {
  const text = typeof value === "string" ? value.trim() : "";
  const isTime = timeShape.test(text) && isDay(text.slice(0, 10));
  const ms = !isTime ? Number.NaN : text.length === 10 ? momentOf(text) : Date.parse(text.replace(" ", "T"));
  return ms >= 0 && ms < endOfYearsMs ? ms : plain("not_a_time_or_date");
}

/** The year 9999 is the last one a date can express. */
const endOfYearsMs = Date.UTC(10_000, 0, 1);

/** A JSON object, as the text to store. */
export function readMetadata(value: unknown): string | Wrong {
  const read = parseCustomResponse(jsonOf(value));
  const text = read.ok ? JSON.stringify(read.template) : "";
  return read.ok && Buffer.byteLength(text) <= maxMetadataBytes
    ? text
    : new Wrong({
        code: "invalid_metadata",
        params: { max_kib: maxMetadataBytes / 1024, max_depth: maxDepth },
      });
}

/** The same, as part of a custom response. */
export function readCustomOverride(value: unknown): string | Wrong {
  const json = jsonOf(value);
  const [problem] = customResponseProblems(json);
  if (problem !== undefined) return new Wrong(problem.fault, problem.path);
  const read = parseCustomResponse(json);
  return read.ok ? JSON.stringify(read.template) : new Wrong({ code: "not_an_object", params: {} });
}

function jsonOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

/** Several strings: a JSON array, or separated by semicolons. Empty ones are dropped. */
export function readList(value: unknown): string[] | Wrong {
  if (typeof value === "string" && !value.trimStart().startsWith("[")) {
    return value
      .split(";")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  }
  let list = value;
  if (typeof value === "string") {
    try {
      list = JSON.parse(value);
    } catch {
      list = null;
    }
  }
  if (Array.isArray(list) && list.every((part) => typeof part === "string"))
    return list.map((part) => part.trim()).filter((part) => part !== "");
  return plain("not_a_list");
}

/**
 * One IP address as a license stores it. A /64 is accepted even if the product counts single addresses: an export
 * contains one if it was registered before the setting changed.
 */
export function readIp(text: string, ipv6Prefix: 64 | 128): string | Wrong {
  const network = text.endsWith("/64");
  const address = parseIpAddress(network ? text.slice(0, -3) : text);
  if (address === null) return new Wrong({ code: "contains_no_ip", params: { value: text.slice(0, 60) } });
  if (network && address.family === 4)
    return new Wrong({ code: "contains_ipv4_network", params: { value: text } });
  return countedAs(address, network ? 64 : ipv6Prefix);
}

/** PostgreSQL cannot store a NUL in text, and half of a surrogate pair is not a character. */
const unstorable = /\0|\p{Cs}/u;
const maxMetadataBytes = 8 * 1024;
const emailShape = /^[^\s@,;<>()"]+@[^\s@,;<>()"]+$/;
const timeShape =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/i;

import { customResponseProblems } from "../custom-response/check.ts";
import { parseCustomResponse } from "../custom-response/template.ts";
import { endOfDay, isDay, startOfDay } from "../dates/local-day.ts";
import { countedAs, parseAddress } from "../ip/address.ts";

/**
 * Values as they appear in a file: text in CSV, anything in JSON Lines. Each reader returns the parsed value, or a
 * `Wrong` whose message continues the field name.
 */
export class Wrong {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export function readText(value: unknown, maxLength: number): string | Wrong {
  if (typeof value !== "string") return new Wrong("should be a text");
  if (value.length > maxLength)
    return new Wrong(`should have at most ${maxLength.toLocaleString("en")} characters`);
  if (unstorable.test(value)) return new Wrong("holds characters that cannot be stored");
  return value;
}

export function readEmail(value: unknown): string | Wrong {
  const text = readText(value, 254);
  if (text instanceof Wrong) return text;
  const email = text.trim();
  return emailShape.test(email) ? email : new Wrong("should be an e-mail address, such as ada@example.com");
}

export function readDiscordId(value: unknown): string | Wrong {
  // A number that large has already lost its last digits.
  if (typeof value !== "string") return new Wrong("should be a text of digits, in quotes");
  const id = value.trim();
  return /^\d{1,20}$/.test(id)
    ? id
    : new Wrong("should be a Discord user id, which has up to 20 digits and no letters");
}

export function readFlag(value: unknown): boolean | Wrong {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.trim().toLowerCase() : String(value);
  if (word === "true" || word === "1" || word === "yes") return true;
  if (word === "false" || word === "0" || word === "no") return false;
  return new Wrong("should be true or false");
}

export function readWholeNumber(value: unknown, min: number, max: number): number | Wrong {
  const number =
    typeof value === "number"
      ? value
      : typeof value === "string" && /^\s*\d{1,15}\s*$/.test(value)
        ? Number(value)
        : Number.NaN;
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  return new Wrong(`should be a whole number from ${min} to ${max.toLocaleString("en")}`);
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
  return ms >= 0 && ms < endOfYearsMs
    ? ms
    : new Wrong("should be a date and time such as 2031-01-02T03:04:05Z, or a date such as 2031-01-02");
}

/** The year 9999 is the last one a date can express. */
const endOfYearsMs = Date.UTC(10_000, 0, 1);

/** A JSON object, as the text to store. */
export function readMetadata(value: unknown): string | Wrong {
  const read = parseCustomResponse(jsonOf(value));
  const text = read.ok ? JSON.stringify(read.template) : "";
  return read.ok && Buffer.byteLength(text) <= mostMetadataBytes
    ? text
    : new Wrong('should be a JSON object of at most 8 KiB, such as {"order": 1}');
}

/** The same, as part of a custom response. */
export function readCustomOverride(value: unknown): string | Wrong {
  const json = jsonOf(value);
  const [problem] = customResponseProblems(json);
  if (problem !== undefined)
    return new Wrong([...problem.path.map((name) => `at ${name}`), problem.message].join(" "));
  const read = parseCustomResponse(json);
  return read.ok ? JSON.stringify(read.template) : new Wrong("should be a JSON object");
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
  return new Wrong("should be texts parted by semicolons, or a JSON array of texts");
}

/**
 * One IP address as a license stores it. A /64 is accepted even if the product counts single addresses: an export
 * contains one if it was registered before the setting changed.
 */
export function readIp(text: string, ipv6Prefix: 64 | 128): string | Wrong {
  const network = text.endsWith("/64");
  const address = parseAddress(network ? text.slice(0, -3) : text);
  if (address === null) return new Wrong(`holds "${text.slice(0, 60)}", which is not an IP address`);
  if (network && address.family === 4)
    return new Wrong(`holds ${text}, but IPv4 addresses are counted one by one, not as networks`);
  return countedAs(address, network ? 64 : ipv6Prefix);
}

/** PostgreSQL cannot store a NUL in text, and half of a surrogate pair is not a character. */
const unstorable = /\0|\p{Cs}/u;
const mostMetadataBytes = 8 * 1024;
const emailShape = /^[^\s@,;<>()"]+@[^\s@,;<>()"]+$/;
const timeShape =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/i;

/**
 * The seconds that a Retry-After header asks for, from 1 to one day; null if it has no usable value. A date counts from
 * the `Date` of the same response, because the client's clock can be wrong.
 */
export function retryAfterSeconds(
  header: string | null,
  dateHeader: string | null,
  nowMs: number,
): number | null {
  const text = header?.trim() ?? "";
  if (/^[0-9]+$/.test(text)) return clamped(Number(text));
  const atMs = httpDate(text, nowMs);
  if (atMs === null) return null;
  return clamped(Math.ceil((atMs - (httpDate(dateHeader?.trim() ?? "", nowMs) ?? nowMs)) / 1_000));
}

/** Never less than a second, never more than a day. */
export function clamped(seconds: number): number {
  return Math.min(Math.max(seconds, 1), 86_400);
}

/** Milliseconds since 1970, from any of the three forms of RFC 9110, section 5.6.7; null if it is none of them. */
export function httpDate(text: string, nowMs: number): number | null {
  const { day, month, year, shortYear, time } =
    fixdate.exec(text)?.groups ?? rfc850.exec(text)?.groups ?? asctime.exec(text)?.groups ?? {};
  const monthIndex = months.indexOf(month ?? "");
  if (day === undefined || time === undefined || monthIndex < 0) return null;
  const fullYear = year === undefined ? nearestYear(Number(shortYear), nowMs) : Number(year);
  const [hours = 0, minutes = 0, seconds = 0] = time.split(":").map(Number);
  const atMs = Date.UTC(fullYear, monthIndex, Number(day), hours, minutes, seconds);
  // `Date` accepts the 30th of February, as a day in March.
  return new Date(atMs).getUTCDate() === Number(day) ? atMs : null;
}

const fixdate =
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/;
const rfc850 =
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<shortYear>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/;
const asctime =
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A year of two digits that would be more than 50 years ahead is in the past. */
function nearestYear(shortYear: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + shortYear;
  return year > thisYear + 50 ? year - 100 : year;
}

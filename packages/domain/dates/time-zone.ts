/** The time zone of an organization that has not set one. */
export const defaultTimeZone = "UTC";

/** The canonical spelling of an IANA time zone, or null if it does not exist. Offsets are not time zones. */
export function timeZoneName(text: string): string | null {
  if (!nameShape.test(text)) return null;
  try {
    const known = new Intl.DateTimeFormat("en-US", { timeZone: text }).resolvedOptions().timeZone;
    // Engines map some names to older ones (Asia/Kolkata to Asia/Calcutta), so only the spelling is adopted.
    return known.toLowerCase() === text.toLowerCase() ? known : text;
  } catch {
    return null;
  }
}

/** How far a zone's clocks are ahead of UTC at a given time, in milliseconds. */
export function offsetAt(atMs: number, timeZone: string): number {
  if (timeZone === defaultTimeZone) return 0;
  const wall = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const { type, value } of formatOf(timeZone).formatToParts(atMs)) {
    if (type in wall) wall[type as keyof typeof wall] = Number(value);
  }
  const wallMs = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
  return wallMs - Math.floor(atMs / 1_000) * 1_000;
}

/**
 * The last instant at which a zone's clocks do not show a later time than this one, which is written as if in UTC. For
 * a time that occurs twice, this is the second; for a skipped time, the instant before the clocks go forward.
 */
export function lastMomentAt(wallMs: number, timeZone: string): number {
  if (timeZone === defaultTimeZone) return wallMs;
  const name = `${wallMs} ${timeZone}`;
  const known = moments.get(name);
  if (known !== undefined) return known;
  const momentMs = findLastMomentAt(wallMs, timeZone);
  if (moments.size >= maxMoments) moments.clear();
  moments.set(name, momentMs);
  return momentMs;
}

function findLastMomentAt(wallMs: number, timeZone: string): number {
  let lowMs = wallMs - farthestMs;
  let highMs = wallMs + farthestMs;
  const before = offsetAt(lowMs, timeZone);
  const after = offsetAt(highMs, timeZone);
  if (before === after) return wallMs - after;
  while (highMs - lowMs > 1) {
    const middleMs = Math.floor((lowMs + highMs) / 2);
    if (offsetAt(middleMs, timeZone) === before) lowMs = middleMs;
    else highMs = middleMs;
  }
  return wallMs - after >= highMs ? wallMs - after : Math.min(wallMs - before, lowMs);
}

const nameShape = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

/** No zone is farther from UTC than 14 hours. */
const farthestMs = 16 * 3_600_000;

/** A file repeats the same few days a hundred thousand times, and days on which clocks change take longest. */
const moments = new Map<string, number>();
const maxMoments = 5_000;

/** Creating one takes far longer than using it. There are about 600 zones; the limit is for odd spellings. */
const formats = new Map<string, Intl.DateTimeFormat>();
const maxFormats = 1_000;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formats.size >= maxFormats) formats.clear();
  formats.set(timeZone, format);
  return format;
}

/** A day without a time, such as 2027-11-20. */
const dayShape = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Whether the text is a day that exists: 30 February does not. */
export function isDay(text: string): boolean {
  return dayShape.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
}

/** The last millisecond of a day in a time zone. For a day that the zone skipped, the last one before it. */
export function endOfDay(day: string, timeZone: string): number {
  return lastMomentAt(Date.parse(`${day}T23:59:59.999Z`), timeZone);
}

export function startOfDay(day: string, timeZone: string): number {
  return lastMomentAt(Date.parse(`${day}T00:00:00Z`) - 1, timeZone) + 1;
}

/** The local time in a time zone, without naming the zone: 2027-11-20T23:59:59.999. */
export function localTime(atMs: number, timeZone: string): string {
  return new Date(atMs + offsetAt(atMs, timeZone)).toISOString().slice(0, -1);
}

import { dayMs, hourMs } from "../dates/lengths.ts";
import { defaultTimeZone } from "../dates/time-zone.ts";
import { oneLine } from "../text/plain-line.ts";
import type { Language } from "./languages.ts";
import de from "./texts/de.json" with { type: "json" };
import en from "./texts/en.json" with { type: "json" };
import es from "./texts/es.json" with { type: "json" };

export type Sentence = keyof typeof en;
type Words = Readonly<Record<Sentence, string>>;

/** A language that lacks a sentence does not compile; a test compares the placeholders. */
export const words: Readonly<Record<Language, Words>> = { en, de, es };

/**
 * A sentence in a language, with `{name}` filled in. Each value becomes a single line, whatever it contains, so that it
 * cannot pose as a paragraph or a header of the email.
 */
export function translate(
  language: Language,
  sentence: Sentence,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return words[language][sentence].replace(placeholder, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`"${sentence}" needs a value for {${name}}.`);
    return oneLine(String(value));
  });
}

const placeholder = /\{(\w+)\}/g;

/** A time, to the minute, formatted for a language and a time zone, which it names. */
export function moment(language: Language, atMs: number, timeZone: string = defaultTimeZone): string {
  const format = kept(momentFormats, `${language} ${timeZone}`, () => {
    return new Intl.DateTimeFormat(language, {
      dateStyle: "long",
      timeStyle: "short",
      hourCycle: "h23",
      timeZone,
    });
  });
  const zone = timeZone === defaultTimeZone ? timeZone : `(${timeZone})`;
  return `${oneLine(format.format(atMs))} ${zone}`;
}

/** A duration formatted for a language, in days if it is at least one day long. */
export function duration(language: Language, ms: number): string {
  const isDays = ms >= dayMs;
  const unit = isDays ? "day" : "hour";
  const format = kept(durationFormats, `${language} ${unit}`, () => {
    return new Intl.NumberFormat(language, {
      style: "unit",
      unit,
      unitDisplay: "long",
      maximumFractionDigits: 1,
    });
  });
  return format.format(ms / (isDays ? dayMs : hourMs));
}

/** Making one takes longer than writing a whole email, and emails are written by the hundred. */
const momentFormats = new Map<string, Intl.DateTimeFormat>();
const durationFormats = new Map<string, Intl.NumberFormat>();

function kept<T>(formats: Map<string, T>, name: string, make: () => T): T {
  const known = formats.get(name) ?? make();
  formats.set(name, known);
  return known;
}

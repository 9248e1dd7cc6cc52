import { shownTimeZone } from "../ui/shown-time-zone.ts";
import type { Language } from "./languages.ts";

/** The server's sentences, as they are in English with numbered gaps, and what the reader is told instead. */
export type Sentences = Readonly<Record<string, string>>;

/** In English only what reads badly on a page has other words. */
const files = {
  en: () => import("./refusals/en.json"),
  de: () => import("./refusals/de.json"),
  es: () => import("./refusals/es.json"),
} as const satisfies Record<Language, () => Promise<{ default: Sentences }>>;

let reading: { language: Language; sentences: Sentences } | null = null;
let patterns: Pattern[] | null = null;
const waiting = new Set<() => void>();

/** Resolves when refusals can be said in this language. Without its file they are said in English. */
export async function loadRefusals(language: Language): Promise<void> {
  if (reading?.language === language) return;
  const file = await files[language]().catch(() => null);
  if (file !== null) keepSentences(language, file.default);
}

export function keepSentences(language: Language, sentences: Sentences): void {
  reading = { language, sentences };
  patterns = null;
  for (const tell of waiting) tell();
}

/** In whose words it is said now, and who wants to know when that changes. For {@link useSaid}. */
export function saidIn(): Language | null {
  return reading?.language ?? null;
}

export function whenSaidElse(tell: () => void): () => void {
  waiting.add(tell);
  return () => waiting.delete(tell);
}

/** A sentence that stands on its own. */
export function said(message: string): string {
  return find(message)?.text ?? message;
}

/** What is wrong with a field, beside it: who reads it sees which field is meant. */
export function saidBeside(field: string, message: string): string {
  return best(field, message).text;
}

/** What is wrong with a field that is not on the page: with its name, where the sentence does not hold it. */
export function saidOf(field: string, message: string): string {
  const { text, isRest } = best(field, message);
  if (!isRest) return text;
  // In English the server's own sentence begins with the name.
  return find(message.slice(field.length + 1)) === null ? message : `${field}: ${text}`;
}

function best(field: string, message: string): { text: string; isRest: boolean } {
  const whole = find(message);
  if (!message.startsWith(`${field} `)) return { text: whole?.text ?? message, isRest: false };
  const rest = message.slice(field.length + 1);
  const found = find(rest);
  if (whole !== null && whole.weight > (found?.weight ?? 0)) return { text: whole.text, isRest: false };
  return { text: found?.text ?? withCapital(rest), isRest: true };
}

interface Pattern {
  readonly shape: RegExp;
  readonly text: string;
  /** How much of it is written out: the more, the surer that this sentence is meant. */
  readonly weight: number;
}

export interface Found {
  readonly text: string;
  readonly weight: number;
  readonly gaps: readonly string[];
}

export function find(message: string): Found | null {
  patterns ??= Object.entries(reading?.sentences ?? {})
    .map(patternOf)
    .sort((one, other) => other.weight - one.weight);
  const bare = message.replace(/\.$/, "");
  for (const { shape, text, weight } of patterns) {
    const gaps = shape.exec(bare)?.slice(1);
    if (gaps !== undefined)
      return {
        text: withCapital(ended(text.replace(gap, (_, place) => readable(gaps[Number(place)] ?? "")))),
        weight,
        gaps,
      };
  }
  return null;
}

const gap = /\{\{(\d)\}\}/g;

function patternOf([sentence, text]: [string, string]): Pattern {
  const written = sentence.replace(/\.$/, "").split(/\{\{\d\}\}/);
  const shape = written.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("(.*?)");
  return { shape: new RegExp(`^${shape}$`, "s"), text, weight: written.join("").length };
}

/** Times, large numbers and a refusal within another as people read them where they are; the rest as it came. */
function readable(text: string): string {
  if (/^\d{1,3}(,\d{3})+$/.test(text))
    return Number(text.replaceAll(",", "")).toLocaleString(reading?.language);
  const [field = ""] = text.split(" ", 1);
  if (text.endsWith(".") && field !== text) return saidOf(field, text);
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return text;
  const format = new Intl.DateTimeFormat(reading?.language, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: shownTimeZone(),
  });
  return format.format(new Date(text));
}

function ended(text: string): string {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}

/** Only a word: an address or a name that comes first stays as it is. */
function withCapital(text: string): string {
  return /^\p{Ll}+[ :,.]/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

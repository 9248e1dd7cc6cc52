import type { FieldErrorBody, Param, Params } from "@countersign/contract/problems/declare";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import { shownTimeZone } from "./shown-time-zone.ts";

/** What the server says in a code, its parameters and English. */
interface CodedMessage {
  readonly code: string;
  readonly params: Params;
  readonly message: string;
}

const namespace = "problems";

/** Resolves when the texts are loaded in the current language. Without them, texts are the server's English. */
export async function loadProblemTexts(): Promise<void> {
  await i18next.loadNamespaces(namespace).catch(() => undefined);
}

/** Why a request was refused. */
export function problemText(problem: CodedMessage): string {
  return textFor(["problems"], problem) ?? problem.message;
}

/** Why something failed that the server did on its own. */
export function failureText(failure: CodedMessage): string {
  return textFor(["failures"], failure) ?? failure.message;
}

/** What is wrong with a field, to be shown beside it. */
export function fieldText(error: FieldErrorBody): string {
  return fieldTextIfKnown(error) ?? error.message;
}

/** What is wrong with a field that is not on the page. The server's English already starts with its name. */
export function fieldTextWithName(error: FieldErrorBody): string {
  const known = fieldTextIfKnown(error);
  return known === null ? error.message : `${error.field}: ${known}`;
}

/** For texts that a page shows without a request of its own having failed. Renders again when they are loaded. */
export function useProblemTexts() {
  useTranslation(namespace, { useSuspense: false });
  return { problemText, failureText, fieldText, fieldTextWithName };
}

/** A refusal that is about one field has the same code there. */
function fieldTextIfKnown(error: FieldErrorBody): string | null {
  return textFor(["fields", "problems"], error);
}

function textFor(
  sections: readonly string[],
  { code, params }: Pick<CodedMessage, "code" | "params">,
): string | null {
  const keys = sections.map((section) => `${namespace}:${section}.${code}`);
  const values = { ...readable(params), defaultValue: "" };
  return keys.map((key) => i18next.t(key, values)).find((text) => text !== "") ?? null;
}

function readable(params: Params): Record<string, string | number> {
  return Object.fromEntries(
    // A plural is chosen by the number itself.
    Object.entries(params).map(([name, value]) => [
      name,
      name === "count" && typeof value === "number" ? value : shown(value),
    ]),
  );
}

function shown(value: Param): string {
  const language = i18next.language;
  if (typeof value === "number") return value.toLocaleString(language);
  if (typeof value === "string") return isTime.test(value) ? time(value, language) : value;
  if ("message" in value) return fieldTextWithName(value);
  return new Intl.ListFormat(language, { type: "disjunction" }).format(value);
}

const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function time(iso: string, language: string): string {
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: shownTimeZone(),
  });
  return format.format(new Date(iso));
}

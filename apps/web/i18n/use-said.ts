import { useEffect, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import type { Language } from "./languages.ts";
import { loadRefusals, said, saidBeside, saidIn, saidOf, whenSaidElse } from "./refusals.ts";

const ways = { said, saidBeside, saidOf } as const;

/**
 * For what the server once said and a page shows later, such as why a letter was not sent. The words for it may come
 * after the page does, which then says it anew.
 */
export function useSaid(): typeof ways {
  const { i18n } = useTranslation();
  const language = i18n.language as Language;
  useEffect(() => void loadRefusals(language), [language]);
  useSyncExternalStore(whenSaidElse, saidIn);
  return ways;
}

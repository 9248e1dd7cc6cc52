import { useTranslation } from "react-i18next";
import { relativeTime } from "../base/relative-time.ts";

/** How long ago or how soon; the exact time on hover. */
export function Ago({ at }: { readonly at: string }) {
  const { i18n } = useTranslation();
  const exact = new Intl.DateTimeFormat(i18n.language, { dateStyle: "long", timeStyle: "short" });
  return (
    <time dateTime={at} title={exact.format(new Date(at))} className="figures">
      {relativeTime(at, Date.now(), i18n.language)}
    </time>
  );
}

/** A day, such as "17 November 2026". */
export function Day({ at }: { readonly at: string }) {
  const { i18n } = useTranslation();
  return (
    <time dateTime={at} className="figures">
      {dayText(at, i18n.language)}
    </time>
  );
}

export function dayText(at: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long" }).format(new Date(at));
}

import { calendarDays, relativeTime } from "@countersign/domain/dates/relative-time";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { browserTimeZone } from "../../i18n/shown-time-zone.ts";

/** How long ago or how soon; the exact time on hover. */
export function Ago({ at }: { readonly at: string }) {
  const { i18n } = useTranslation();
  const exact = new Intl.DateTimeFormat(i18n.language, { dateStyle: "long", timeStyle: "short" });
  return (
    <time dateTime={at} title={exact.format(new Date(at))} className="figures">
      {relativeTime(Date.parse(at), Date.now(), i18n.language, browserTimeZone())}
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

/** How a past day is named: the days of the last week by their name, others by their date. */
type Since =
  | { readonly kind: "today" | "yesterday" }
  | { readonly kind: "weekday" | "date"; readonly day: string };

export function sinceOf(at: string, nowMs: number, language: string, timeZone: string): Since {
  const days = -calendarDays(Date.parse(at), nowMs, timeZone);
  if (days <= 0) return { kind: "today" };
  if (days === 1) return { kind: "yesterday" };
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone }).format(new Date(at));
  return days < 7
    ? { kind: "weekday", day: format({ weekday: "long" }) }
    : { kind: "date", day: format({ day: "numeric", month: "long" }) };
}

/** The seconds until a time, rounded up; never negative. */
export function secondsUntil(untilMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((untilMs - nowMs) / 1_000));
}

/** Such as "0:07". */
export function clockText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Counts down to a time, second by second. */
export function useCountdown(untilMs: number): number {
  const [nowMs, setNowMs] = useState(Date.now);
  const left = secondsUntil(untilMs, nowMs);
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setNowMs(Date.now()), 1_000);
    return () => clearTimeout(timer);
  });
  return left;
}

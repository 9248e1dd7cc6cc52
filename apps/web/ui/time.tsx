import { relativeTime } from "@countersign/domain/dates/relative-time";
import { Text, Tooltip } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { shownTimeZone } from "../i18n/shown-time-zone.ts";
import classes from "./time.module.css";

/** How long ago or how soon; the exact time and zone on hover. */
export function Time({ at }: { at: string }) {
  const { i18n } = useTranslation();
  return (
    <Tooltip label={exactTime(at, i18n.language)}>
      <Text component="time" dateTime={at} className="figures" inherit tabIndex={0}>
        {fromNow(at, i18n.language)}
      </Text>
    </Tooltip>
  );
}

/** The date in the current organization's time zone. */
export function shortDate(at: string, language: string): string {
  const timeZone = shownTimeZone();
  return kept(
    dates,
    `${language} ${timeZone}`,
    () => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone }),
  ).format(new Date(at));
}

/** In the current organization's time zone, which it names. */
export function exactTime(at: string, language: string): string {
  const timeZone = shownTimeZone();
  return kept(
    exact,
    `${language} ${timeZone}`,
    () => new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "long", timeZone }),
  ).format(new Date(at));
}

/** By the calendar of the zone in which dates are shown, so that it agrees with the date next to it. */
export function fromNow(at: string, language: string): string {
  return relativeTime(new Date(at).getTime(), Date.now(), language, shownTimeZone());
}

/** Cached: creating a formatter is far slower than using it, and a list uses hundreds. */
const dates = new Map<string, Intl.DateTimeFormat>();
const exact = new Map<string, Intl.DateTimeFormat>();

function kept<F>(formats: Map<string, F>, name: string, make: () => F): F {
  const known = formats.get(name) ?? make();
  formats.set(name, known);
  return known;
}

interface ListTimeProps {
  readonly at: string;
  /** Emphasized because it is soon. */
  readonly isSoon?: boolean;
}

/** A time in a list: the date, and how long ago or how soon it is. */
export function ListTime({ at, isSoon }: ListTimeProps) {
  const { i18n } = useTranslation();
  return (
    <Tooltip label={exactTime(at, i18n.language)}>
      <Words at={at} isSoon={isSoon ?? false} language={i18n.language} tabIndex={0} />
    </Tooltip>
  );
}

interface PlainListTimeProps extends ListTimeProps {
  readonly language: string;
}

/** The same for lists with hundreds of rows: the exact time is formatted only on hover. */
export function PlainListTime({ at, isSoon = false, language }: PlainListTimeProps) {
  const [exact, setExact] = useState<string>();
  return (
    <Words
      at={at}
      isSoon={isSoon}
      language={language}
      title={exact}
      onPointerEnter={() => setExact(exactTime(at, language))}
    />
  );
}

type WordsProps = Required<PlainListTimeProps> & Omit<React.ComponentProps<"time">, "className" | "children">;

function Words({ at, isSoon, language, ...rest }: WordsProps) {
  return (
    <time dateTime={at} className={`${classes.time} figures`} data-soon={isSoon || undefined} {...rest}>
      <span className={classes.date}>{shortDate(at, language)}</span>{" "}
      <span className={classes.relative}>{fromNow(at, language)}</span>
    </time>
  );
}

import { memo, useState } from "react";
import { useTranslation } from "react-i18next";
import { exactTime } from "../../ui/time.tsx";

interface WhenProps {
  readonly at: string;
  readonly isSoon?: boolean;
}

/**
 * How long ago, or until when, for tables with many of them: the words are made by one formatter for all, and the exact
 * time, whose zone is dear to write out, only for whoever points at it.
 */
export const When = memo(function When({ at, isSoon = false }: WhenProps) {
  const { i18n } = useTranslation();
  const [exact, setExact] = useState<string>();
  return (
    <time
      dateTime={at}
      title={exact}
      data-soon={isSoon || undefined}
      className="figures"
      onPointerEnter={() => setExact(exactTime(at, i18n.language))}
    >
      {relative(at, i18n.language)}
    </time>
  );
});

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

const formats = new Map<string, Intl.RelativeTimeFormat>();

function relative(at: string, language: string): string {
  let format = formats.get(language);
  if (format === undefined) {
    format = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "long" });
    formats.set(language, format);
  }
  const seconds = (new Date(at).getTime() - Date.now()) / 1_000;
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  return format.format(0, "second");
}

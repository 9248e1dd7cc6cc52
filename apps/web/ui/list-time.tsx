import { Tooltip } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./list-time.module.css";
import { exactTime, relativeTime, shortDate } from "./time.tsx";

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
      <span className={classes.relative}>{relativeTime(at, Date.now(), language)}</span>
    </time>
  );
}

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./meter.module.css";

interface MeterProps {
  readonly name: ReactNode;
  readonly used: number;
  /** Null for no limit. */
  readonly limit: number | null;
}

/** The server warns at the same share. */
const nearlyAll = 0.8;

/** How much of a limit is used, in words and as a bar. Without a limit, only how much there is. */
export function Meter({ name, used, limit }: MeterProps) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <div
      className={classes.meter}
      data-near={(limit !== null && limit > 0 && used >= limit * nearlyAll) || undefined}
    >
      <div className={classes.line}>
        <div>{name}</div>
        <span className={`${classes.value} figures`}>
          {limit === null
            ? t("meter.noLimit", { used: number.format(used) })
            : t("meter.of", { used: number.format(used), limit: number.format(limit) })}
        </span>
      </div>
      {/* The text says the same. An exceeded limit fills the bar. */}
      {limit !== null && (
        <progress
          className={classes.bar}
          value={Math.min(used, Math.max(limit, 1))}
          max={Math.max(limit, 1)}
          aria-hidden="true"
        />
      )}
    </div>
  );
}

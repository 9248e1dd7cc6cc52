import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./analytics.module.css";
import { changeText } from "./figure-text.ts";

interface BarRow {
  readonly key: string;
  readonly name: ReactNode;
  readonly value: number;
  /** Null if there is nothing to compare with. */
  readonly before: number | null;
  /** Next to the value, such as its error. */
  readonly aside?: string | null;
}

interface BarRowsProps {
  readonly label: string;
  readonly rows: readonly BarRow[];
  readonly names: { readonly name: string; readonly value: string };
  readonly isCompared: boolean;
}

/** Values next to each other as bars, in a table, so that they need no other view. */
export function BarRows({ label, rows, names, isCompared }: BarRowsProps) {
  const { t, i18n } = useTranslation("analytics");
  const number = new Intl.NumberFormat(i18n.language);
  const highest = Math.max(
    1,
    ...rows.flatMap(({ value, before }) => [value, isCompared ? (before ?? 0) : 0]),
  );
  const width = (value: number) => ({ width: `${(100 * value) / highest}%` });
  return (
    <table className={classes.rows} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{names.name}</th>
          {/* The bars repeat the numbers. */}
          <td className={classes.barCell} />
          <th scope="col" data-figure>
            {names.value}
          </th>
          {isCompared && (
            <th scope="col" data-figure>
              {t("compare.before")}
            </th>
          )}
        </tr>
      </thead>
      <tbody className="figures">
        {rows.map(({ key, name, value, before, aside }) => (
          <tr key={key}>
            <th scope="row">{name}</th>
            <td className={classes.barCell}>
              {value > 0 && <div className={classes.bar} style={width(value)} />}
              {isCompared && before !== null && before > 0 && (
                <div className={classes.barBefore} style={width(before)} />
              )}
            </td>
            <td data-figure>
              {number.format(value)}
              {aside != null && <span className={classes.error}>{aside}</span>}
            </td>
            {isCompared && (
              <td data-figure>
                {before === null ? "–" : number.format(before)}
                {before !== null && changeText(value, before, i18n.language) !== null && (
                  <span className={classes.error}>{changeText(value, before, i18n.language)}</span>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

import { useTranslation } from "react-i18next";
import { exactTime } from "../../../ui/time.tsx";
import classes from "./history.module.css";
import type { Change } from "./history-entries.ts";
import { spanText } from "./spans.ts";

/** The changed fields with their values before and after. */
export function Changes({ changes }: { changes: readonly Change[] }) {
  const { t, i18n } = useTranslation("licenses");
  if (changes.length === 0) return null;
  return (
    <ul className={classes.changes}>
      {changes.map(({ field, before, after }) => (
        <li key={field}>
          <span className={classes.field}>
            {i18n.exists(`licenses:fields.${field}`) ? t(`fields.${field}`) : field}
          </span>{" "}
          <del>{words(field, before)}</del> → <ins>{words(field, after)}</ins>
        </li>
      ))}
    </ul>
  );

  function words(field: string, value: unknown): string {
    if (value === null || value === undefined) return t("everywhere:none");
    if (typeof value === "boolean") return t(value ? "everywhere:yes" : "everywhere:no");
    if (field === "term_seconds" && typeof value === "number") return spanText(value, i18n.language);
    if (field.endsWith("_at") && typeof value === "string") return exactTime(value, i18n.language);
    if (Array.isArray(value)) return value.length === 0 ? t("everywhere:none") : value.join(", ");
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    return text.length > 160 ? `${text.slice(0, 160)}…` : text;
  }
}

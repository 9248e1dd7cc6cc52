import { Code, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { exactTime } from "../../ui/time.tsx";
import classes from "./difference.module.css";
import { type FieldChange, isSwitch, momentOf } from "./field-changes.ts";

/** A value in readable form. */
export function useValueText(
  length: "long" | "short" = "long",
): (field: string, value: FieldChange["before"]) => string {
  const { t, i18n } = useTranslation("audit-log");
  return (field, value) => {
    if (value === null || value === undefined || value === "") return t("values.none");
    if (typeof value === "boolean" || (isSwitch(field) && (value === 0 || value === 1)))
      return value ? t("values.on") : t("values.off");
    const moment = momentOf(field, value);
    if (moment !== null)
      return length === "long"
        ? exactTime(moment, i18n.language)
        : new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeStyle: "short" }).format(
            new Date(moment),
          );
    if (typeof value === "number") return new Intl.NumberFormat(i18n.language).format(value);
    if (typeof value === "string")
      return t(`named.${field === "default_plan" ? "plan" : field}.${value}`, { defaultValue: value });
    if (Array.isArray(value) && value.every((one) => typeof one !== "object"))
      return value.length === 0 ? t("values.none") : value.join(", ");
    return JSON.stringify(value, null, 2);
  };
}

export function Value({ field, value }: { field: string; value: FieldChange["before"] }) {
  const words = useValueText()(field, value);
  if (value === null || value === undefined)
    return (
      <Text span inherit c="dimmed">
        {words}
      </Text>
    );
  if (typeof value === "object" && !Array.isArray(value))
    return (
      <Code block className={classes.json ?? ""} tabIndex={0}>
        {words}
      </Code>
    );
  return <span className={/_id$|^id$|key|prefix|^url$/.test(field) ? "mono" : undefined}>{words}</span>;
}

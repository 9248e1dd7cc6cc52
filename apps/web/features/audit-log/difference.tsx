import { Badge, Code, Group, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { exactTime } from "../../ui/time.tsx";
import { plainWords } from "./actions.ts";
import classes from "./difference.module.css";
import {
  changesOf,
  type Entry,
  type FieldChange,
  isSwitch,
  listDifference,
  momentOf,
} from "./field-changes.ts";

/** Each changed field, before and after. */
export function Difference({ entry }: { entry: Entry }) {
  const { t } = useTranslation("audit-log");
  const changes = changesOf(entry);
  if (changes.length === 0) return <Text c="dimmed">{t("difference.nothing")}</Text>;
  const hasBefore = entry.before !== null && Object.keys(entry.before).length > 0;
  const hasAfter = entry.after !== null && Object.keys(entry.after).length > 0;
  return (
    <Table className={classes.table ?? ""} aria-label={t("difference.title")} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="30%">{t("difference.field")}</Table.Th>
          {hasBefore && <Table.Th>{t("difference.before")}</Table.Th>}
          {hasAfter && <Table.Th>{hasBefore ? t("difference.after") : t("difference.value")}</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map((change) => (
          <Table.Tr key={change.field}>
            <Table.Th scope="row">
              <FieldName field={change.field} />
            </Table.Th>
            {hasBefore && (
              <Table.Td className={classes.before ?? ""}>
                <Side change={change} side="before" isAlone={!hasAfter} />
              </Table.Td>
            )}
            {hasAfter && (
              <Table.Td className={hasBefore ? (classes.after ?? "") : ""}>
                <Side change={change} side="after" isAlone={!hasBefore} />
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface SideProps {
  readonly change: FieldChange;
  readonly side: "before" | "after";
  readonly isAlone: boolean;
}

function Side({ change, side, isAlone }: SideProps) {
  const value = change[side];
  if (value === undefined && !isAlone) return null;
  const lists = isAlone ? null : listDifference(change);
  if (lists === null) return <Value field={change.field} value={value} />;
  const marked = side === "before" ? lists.removed : lists.added;
  const all = value as string[];
  if (all.length === 0) return <Value field={change.field} value={null} />;
  return (
    <Group gap={4}>
      {all.map((word) => (
        <Badge
          key={word}
          size="md"
          variant={marked.includes(word) ? "light" : "default"}
          color={side === "before" ? "red" : "verdigris"}
        >
          {marked.includes(word) ? `${side === "before" ? "−" : "+"} ${word}` : word}
        </Badge>
      ))}
    </Group>
  );
}

function FieldName({ field }: { field: string }) {
  const { t } = useTranslation("audit-log");
  return <>{t(`fields.${field}`, { defaultValue: plainWords(field) })}</>;
}

const maxShort = 2;

/** The same on one line, for the list: the first two, and how many more. */
export function ShortDifference({ entry }: { entry: Entry }) {
  const { t } = useTranslation("audit-log");
  const textOf = useValueText("short");
  const changes = changesOf(entry);
  if (changes.length === 0) return null;
  const telling = changes.filter(saysMuch);
  const shown = (telling.length === 0 ? changes : telling).slice(0, maxShort);
  return (
    <Text inherit component="div" className={classes.short ?? ""}>
      {shown.map((change, index) => (
        <div key={change.field} className={classes.line}>
          <span className={classes.field}>
            <FieldName field={change.field} />
          </span>{" "}
          {change.before !== undefined && entry.after !== null && (
            <>
              <del>{textOf(change.field, change.before)}</del>
              {" → "}
            </>
          )}
          <span>{textOf(change.field, change.after === undefined ? change.before : change.after)}</span>
          {index === shown.length - 1 && changes.length > shown.length && (
            <span className={classes.field}>
              {" "}
              {t("difference.more", { count: changes.length - shown.length })}
            </span>
          )}
        </div>
      ))}
    </Text>
  );
}

/** IDs and times repeat the rest of the line, and empty values say nothing. */
function saysMuch({ field, before, after }: FieldChange): boolean {
  if ((before ?? null) === null && (after ?? null) === null) return false;
  return !/(?:^|_)ids?$|^revoked_at$/.test(field);
}

/** A value in readable form. */
function useValueText(
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

function Value({ field, value }: { field: string; value: FieldChange["before"] }) {
  const text = useValueText()(field, value);
  if (value === null || value === undefined)
    return (
      <Text span inherit c="dimmed">
        {text}
      </Text>
    );
  if (typeof value === "object" && !Array.isArray(value))
    return (
      <Code block className={classes.json ?? ""} tabIndex={0}>
        {text}
      </Code>
    );
  return <span className={/_id$|^id$|key|prefix|^url$/.test(field) ? "mono" : undefined}>{text}</span>;
}

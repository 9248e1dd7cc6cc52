import { type ImportField, importFields } from "@countersign/domain/license-files/columns";
import { importSources } from "@countersign/domain/license-files/sources";
import { Alert, Select, Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { shownTimeZone } from "../../i18n/shown-time-zone.ts";
import { ValidateHelp } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import classes from "./column-table.module.css";
import { columnUse, helpFor } from "./columns.ts";
import type { FilePreview } from "./import-file.ts";

interface ColumnTableProps {
  readonly preview: FilePreview;
  /** The field of each column. For the export of a service, only of columns that the user changed. */
  readonly columns: Readonly<Record<string, ImportField | null>>;
  /** Whether licenses without a customer get one. */
  readonly hasDefaultCustomer: boolean;
  /** A field that two columns are mapped to. */
  readonly problem: ImportField | null;
  readonly onChange: (columns: Readonly<Record<string, ImportField | null>>) => void;
}

const dontImport = "-";
/** As the service's map says. */
const bySource = "source";

/** One row per column of the file: sample values, and the field that it maps to. */
export function ColumnTable({ preview, columns, hasDefaultCustomer, problem, onChange }: ColumnTableProps) {
  const { t } = useTranslation("license-files");
  const { source } = preview;
  const used = preview.columns.map((column) => fieldOf(preview, columns, column));
  const fields = [
    { value: dontImport, label: t("columns.dontImport") },
    ...importFields.map((field) => ({ value: field, label: t(`fields.${field}`) })),
  ];
  const sourceUse = (column: string) => {
    const use = source === null ? null : columnUse(source, column);
    if (use === null) return t("columns.dontImport");
    return "field" in use ? t(`fields.${use.field}`) : t(`columns.${use.use}`);
  };
  const dataOf = (column: string) => {
    if (source === null) return fields;
    const label = t("columns.bySource", { source: importSources[source].name, use: sourceUse(column) });
    return [{ value: bySource, label }, ...fields];
  };
  const choiceOf = (column: string) => {
    if (source !== null && columns[column] === undefined) return bySource;
    return columns[column] ?? dontImport;
  };
  const change = (column: string, chosen: string | null) => {
    const { [column]: _, ...others } = columns;
    const field = chosen === dontImport ? null : (chosen as ImportField);
    onChange(chosen === bySource ? others : { ...others, [column]: field });
  };
  return (
    <>
      <Text c="dimmed" size="sm" mb="xs">
        {source === null
          ? t("columns.words")
          : t("columns.sourceWords", { source: importSources[source].name })}
      </Text>
      <Table className={classes.table ?? ""} verticalSpacing={6} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th className={classes.name ?? ""}>{t("columns.column")}</Table.Th>
            <Table.Th data-wide>{t("columns.first")}</Table.Th>
            <Table.Th className={classes.meaning ?? ""}>{t("columns.importAs")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {inOrder(preview).map(({ column, place }) => (
            <Table.Tr key={place} data-out={isOut(preview, columns, column) || undefined}>
              <Table.Td>
                <strong>{column === "" ? t("columns.unnamed") : column}</strong>
                <span className={classes.below}>{samplesOf(preview, place)[0]}</span>
              </Table.Td>
              <Table.Td data-wide>
                <span className={classes.samples}>{samplesOf(preview, place).join(" · ")}</span>
              </Table.Td>
              <Table.Td>
                <Select
                  size="xs"
                  aria-label={t("columns.importColumnAs", { column })}
                  data={dataOf(column)}
                  value={choiceOf(column)}
                  error={problem !== null && columns[column] === problem}
                  onChange={(chosen) => change(column, chosen)}
                  allowDeselect={false}
                  searchable
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {used.includes("expires_at") && (
        <Text size="sm" c="dimmed" mt="sm">
          {t("columns.days", { zone: shownTimeZone().replaceAll("_", " ") })}
        </Text>
      )}
      {helpFor(used).length > 0 && (
        <Stack gap={4} mt="sm">
          {helpFor(used).map(({ topic, field }) => (
            <ValidateHelp key={topic} about={topic} field={t(`fields.${field}`)} />
          ))}
        </Stack>
      )}
      {problem !== null && (
        <Alert color="red" mt="sm" role="alert" icon={<Icon name="warning" />}>
          {t("columns.duplicate", { field: t(`fields.${problem}`) })}
        </Alert>
      )}
      {source === null && !used.includes("license_key") && (
        <Alert color="gray" mt="sm" icon={<Icon name="info" />}>
          {t("columns.noKey")}
        </Alert>
      )}
      {!hasDefaultCustomer && !used.includes("customer_email") && !used.includes("customer_discord_id") && (
        <Alert color="orange" mt="sm" icon={<Icon name="warning" />}>
          {t("columns.noCustomer")}
        </Alert>
      )}
    </>
  );
}

/** In the order of the file; of an export, those that are not used last, because there can be dozens. */
function inOrder({ source, columns }: FilePreview): { readonly column: string; readonly place: number }[] {
  const places = columns.map((column, place) => ({ column, place }));
  if (source === null) return places;
  const [used, unused] = [true, false].map((isUsed) =>
    places.filter(({ column }) => (columnUse(source, column) !== null) === isUsed),
  );
  return [...(used ?? []), ...(unused ?? [])];
}

/** The field that a column becomes, if it becomes one. */
function fieldOf(
  { source }: FilePreview,
  columns: Readonly<Record<string, ImportField | null>>,
  column: string,
): ImportField | null {
  if (source === null || columns[column] !== undefined) return columns[column] ?? null;
  const use = columnUse(source, column);
  return use !== null && "field" in use ? use.field : null;
}

function isOut(
  preview: FilePreview,
  columns: Readonly<Record<string, ImportField | null>>,
  column: string,
): boolean {
  const { source } = preview;
  if (source === null || columns[column] !== undefined) return columns[column] == null;
  return columnUse(source, column) === null;
}

function samplesOf({ rows }: FilePreview, place: number): string[] {
  return [...new Set(rows.map((cells) => cells[place] ?? "").filter((cell) => cell !== ""))].slice(0, 3);
}

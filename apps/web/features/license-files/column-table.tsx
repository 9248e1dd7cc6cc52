import { type ImportField, importFields } from "@countersign/domain/license-files/columns";
import { Alert, Select, Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { shownTimeZone } from "../../i18n/shown-time-zone.ts";
import { ValidateHelp } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import classes from "./column-table.module.css";
import { helpFor } from "./columns.ts";
import type { FilePreview } from "./import-file.ts";

interface ColumnTableProps {
  readonly preview: FilePreview;
  readonly columns: Readonly<Record<string, ImportField | null>>;
  /** A field that two columns are mapped to. */
  readonly problem: ImportField | null;
  readonly onChange: (columns: Record<string, ImportField | null>) => void;
}

const dontImport = "-";

/** One row per column of the file: sample values, and the field that it maps to. */
export function ColumnTable({ preview, columns, problem, onChange }: ColumnTableProps) {
  const { t } = useTranslation("license-files");
  const used = Object.values(columns);
  const data = [
    { value: dontImport, label: t("columns.dontImport") },
    ...importFields.map((field) => ({ value: field, label: t(`fields.${field}`) })),
  ];
  return (
    <>
      <Text c="dimmed" size="sm" mb="xs">
        {t("columns.words")}
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
          {preview.columns.map((column, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns can have the same name.
            <Table.Tr key={place} data-out={columns[column] === null || undefined}>
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
                  data={data}
                  value={columns[column] ?? dontImport}
                  error={columns[column] !== null && columns[column] === problem}
                  onChange={(field) =>
                    onChange({ ...columns, [column]: field === dontImport ? null : (field as ImportField) })
                  }
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
      {!used.includes("license_key") && (
        <Alert color="gray" mt="sm" icon={<Icon name="info" />}>
          {t("columns.noKey")}
        </Alert>
      )}
      {!used.includes("customer_email") && !used.includes("customer_discord_id") && (
        <Alert color="orange" mt="sm" icon={<Icon name="warning" />}>
          {t("columns.noCustomer")}
        </Alert>
      )}
    </>
  );
}

function samplesOf({ rows }: FilePreview, place: number): string[] {
  return [...new Set(rows.map((cells) => cells[place] ?? "").filter((cell) => cell !== ""))].slice(0, 3);
}

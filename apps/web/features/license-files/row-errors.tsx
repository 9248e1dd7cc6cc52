import type { FieldErrorBody } from "@countersign/contract/problems/declare";
import { csvLine } from "@countersign/domain/csv/csv";
import { Button, ScrollArea, Table, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Answer, call } from "../../api/client.ts";
import { useProblemTexts } from "../../i18n/problem-texts.ts";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import classes from "./row-errors.module.css";

/** The invalid rows, with the file's row numbers and column names, and what is expected. */
export function RowErrors({ job }: { job: Answer<"getLicenseImport"> }) {
  const { t, i18n } = useTranslation("license-files");
  const { fieldText, fieldTextWithName } = useProblemTexts();
  const textOf = (error: FieldErrorBody & { readonly column: string | null }) =>
    error.column === null && error.field !== "row" ? fieldTextWithName(error) : fieldText(error);
  const number = (count: number) => count.toLocaleString(i18n.language);
  const save = useMutation({
    mutationFn: async () =>
      saveFile(
        "errors.csv",
        await rejectedFile(job.product_id, job.id, (error) =>
          error.column === null ? textOf(error) : `${error.column}: ${textOf(error)}`,
        ),
      ),
  });
  return (
    <Section
      title={t("errors.title")}
      note={number(job.error_count)}
      actions={
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<Icon name="download" size={14} />}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          {t("errors.download")}
        </Button>
      }
    >
      <ProblemAlert error={save.error} />
      <ScrollArea.Autosize
        mah={420}
        type="auto"
        offsetScrollbars="present"
        viewportProps={{ tabIndex: 0, "aria-label": t("errors.title") }}
      >
        <Table aria-label={t("errors.title")} fz="sm" stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={70} ta="right">
                {t("errors.row")}
              </Table.Th>
              <Table.Th visibleFrom="sm">{t("errors.column")}</Table.Th>
              <Table.Th visibleFrom="sm">{t("errors.value")}</Table.Th>
              <Table.Th>{t("errors.error")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {job.errors.map((error, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row can have two errors in the same field.
              <Table.Tr key={place}>
                <Table.Td ta="right" className="figures">
                  {number(error.row)}
                </Table.Td>
                <Table.Td visibleFrom="sm" className={classes.text}>
                  {error.column ?? "–"}
                </Table.Td>
                <Table.Td visibleFrom="sm" className={classes.text}>
                  <Value value={error.value} />
                </Table.Td>
                <Table.Td className={classes.text}>
                  {error.column !== null && (
                    <Text hiddenFrom="sm" inherit>
                      {error.column}: <Value value={error.value} />
                    </Text>
                  )}
                  {textOf(error)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {job.failed > maxSaved && (
        <Text size="sm" c="dimmed" p="sm" pb={0}>
          {t("errors.firstSaved", { number: number(maxSaved) })}
        </Text>
      )}
      {job.error_count > job.errors.length && (
        <Text size="sm" c="dimmed" p="sm">
          {t("errors.first", { shown: number(job.errors.length), all: number(job.error_count) })}
        </Text>
      )}
    </Section>
  );
}

/** The server stores at most this many rejected rows. */
const maxSaved = 10_000;

/** The value in the file. */
function Value({ value }: { value: string | null }) {
  const { t } = useTranslation("license-files");
  if (value === null || value === "") return <span className={classes.none}>{t("errors.empty")}</span>;
  return <span className="mono">{value}</span>;
}

type Rejected = Answer<"listRejectedRows">;
type RowError = Rejected["data"][number]["errors"][number];

/**
 * The rejected rows with their original cells, as a CSV file to correct and import again. The import ignores the two
 * added columns in front.
 */
async function rejectedFile(
  productId: string,
  importId: string,
  wordsOf: (error: RowError) => string,
): Promise<string[]> {
  const lines: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Rejected = await call("listRejectedRows", {
      params: { product_id: productId, import_id: importId },
      query: { limit: 200, ...(cursor === null ? {} : { cursor }) },
    });
    if (cursor === null) lines.push(csvLine(["import_row", "import_error", ...page.columns]));
    for (const { row, cells, errors } of page.data)
      lines.push(csvLine([row, errors.map(wordsOf).join(" "), ...cells]));
    cursor = page.next_cursor;
    if (cursor === null) return lines;
  }
}

/** Downloads a text as a file. */
function saveFile(name: string, parts: string[]): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

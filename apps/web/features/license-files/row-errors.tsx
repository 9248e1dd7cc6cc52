import { csvLine } from "@countersign/domain/csv/cell";
import { Button, ScrollArea, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSaid } from "../../i18n/use-said.ts";
import { Icon } from "../../ui/icon.tsx";
import { Section } from "../../ui/section.tsx";
import type { Import } from "./import-state.tsx";

/** Which rows are wrong, as the spreadsheet numbers them, and what would be right. */
export function RowErrors({ job }: { job: Import }) {
  const { t, i18n } = useTranslation("license-files");
  const { saidOf } = useSaid();
  const number = (count: number) => count.toLocaleString(i18n.language);
  const save = () => {
    const rows = job.errors.map(({ row, field, message }) => csvLine([row, field, saidOf(field, message)]));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(
      new Blob([csvLine(["row", "field", "message"]), ...rows], { type: "text/csv" }),
    );
    link.download = "errors.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <Section
      title={t("errors.title")}
      note={number(job.error_count)}
      actions={
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<Icon name="download" size={14} />}
          onClick={save}
        >
          {t("errors.save")}
        </Button>
      }
    >
      <ScrollArea.Autosize
        mah={420}
        type="auto"
        offsetScrollbars="present"
        viewportProps={{ tabIndex: 0, "aria-label": t("errors.title") }}
      >
        <Table aria-label={t("errors.title")} fz="sm" stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={80} ta="right">
                {t("errors.row")}
              </Table.Th>
              <Table.Th>{t("errors.what")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {job.errors.map(({ row, field, message }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row may be wrong twice in the same field.
              <Table.Tr key={place}>
                <Table.Td ta="right" className="figures">
                  {number(row)}
                </Table.Td>
                <Table.Td style={{ overflowWrap: "anywhere" }}>{saidOf(field, message)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {job.error_count > job.errors.length && (
        <Text size="sm" c="dimmed" p="sm">
          {t("errors.first", { shown: number(job.errors.length), all: number(job.error_count) })}
        </Text>
      )}
    </Section>
  );
}

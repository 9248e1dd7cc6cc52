import { ScrollArea, Table, UnstyledButton } from "@mantine/core";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import classes from "./usage.module.css";

interface HistoryTableProps {
  /** The oldest first. */
  readonly rows: readonly { readonly key: number; readonly day: string; readonly count: string }[];
}

/** The numbers of the chart, for reading and copying. Newest first. */
export function HistoryTable({ rows }: HistoryTableProps) {
  const { t } = useTranslation("usage");
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <UnstyledButton
        className={classes.toggle ?? ""}
        aria-expanded={isOpen}
        {...(isOpen ? { "aria-controls": id } : {})}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "up" : "down"} size={14} />{" "}
        {t(isOpen ? "history.hideTable" : "history.showTable")}
      </UnstyledButton>
      {isOpen && (
        <ScrollArea.Autosize
          id={id}
          className={classes.table ?? ""}
          mah={320}
          // Scrolls, also with the keyboard.
          viewportProps={{ tabIndex: 0, role: "region", "aria-label": t("history.table") }}
        >
          <Table aria-label={t("history.title")} verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("history.day")}</Table.Th>
                <Table.Th ta="right">{t("history.requests")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.toReversed().map(({ key, day, count }) => (
                <Table.Tr key={key}>
                  <Table.Td>{day}</Table.Td>
                  <Table.Td ta="right" className="figures">
                    {count}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
      )}
    </>
  );
}

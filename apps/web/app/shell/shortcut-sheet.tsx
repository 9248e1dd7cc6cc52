import { Kbd, Modal, Table } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../here.ts";
import { places } from "./navigation.ts";
import { whenShortcutSheetIsAsked } from "./shortcut-sheet-door.ts";

/** What "?" shows. */
export function ShortcutSheet() {
  const { t } = useTranslation();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => whenShortcutSheetIsAsked(() => setOpen(true)), []);
  const lines: [ReactNode, string][] = [
    [<Kbd key="k">Ctrl K</Kbd>, t("shortcuts.palette")],
    [<Kbd key="?">?</Kbd>, t("shortcuts.sheet")],
    ...(may("licenses:create")
      ? [[<Kbd key="n">n</Kbd>, t("shortcuts.newLicense")] as [ReactNode, string]]
      : []),
    ...places
      .flat()
      .filter(({ any }) => any.length === 0 || may(...any))
      .map(({ path, key }): [ReactNode, string] => [
        <span key={key}>
          <Kbd>g</Kbd> {t("shortcuts.then")} <Kbd>{key}</Kbd>
        </span>,
        t("shortcuts.goTo", { place: t(`places.${path === "" ? "overview" : path}`) }),
      ]),
  ];
  return (
    <Modal opened={isOpen} onClose={() => setOpen(false)} title={t("shortcuts.title")}>
      <Table withRowBorders={false}>
        <Table.Tbody>
          {lines.map(([keys, words]) => (
            <Table.Tr key={words}>
              <Table.Td w={150}>{keys}</Table.Td>
              <Table.Td>{words}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}

import { Kbd, Modal, Table } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCurrentOrLastOrganization } from "../../session/current-organization.ts";
import { mayOpen, navigationItems } from "../../session/navigation.ts";
import { onShortcutSheetOpen, paletteKeys } from "./shortcuts.ts";

/** The list of shortcuts that "?" opens. */
export function ShortcutSheet() {
  const { t } = useTranslation();
  const near = useCurrentOrLastOrganization();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => onShortcutSheetOpen(() => setOpen(true)), []);
  const lines: [ReactNode, string][] = [
    [
      <span key="k">
        <Kbd>{paletteKeys}</Kbd> {t("shortcuts.or")} <Kbd>/</Kbd>
      </span>,
      t("shortcuts.palette"),
    ],
    [<Kbd key="?">?</Kbd>, t("shortcuts.sheet")],
    ...(near !== null && mayOpen(near, "licenses/new")
      ? [[<Kbd key="n">n</Kbd>, t("shortcuts.newLicense")] as [ReactNode, string]]
      : []),
    ...navigationItems
      .flat()
      .filter(({ path }) => near !== null && mayOpen(near, path))
      .map(({ path, key }): [ReactNode, string] => [
        <span key={key}>
          <Kbd>g</Kbd> {t("shortcuts.then")} <Kbd>{key}</Kbd>
        </span>,
        t("shortcuts.goTo", { page: t(`places.${path === "" ? "overview" : path}`) }),
      ]),
    ...(near !== null && mayOpen(near, "licenses")
      ? ([
          [
            <span key="jk">
              <Kbd>j</Kbd> <Kbd>k</Kbd>
            </span>,
            t("shortcuts.rows"),
          ],
          [<Kbd key="x">x</Kbd>, t("shortcuts.select")],
        ] as [ReactNode, string][])
      : []),
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

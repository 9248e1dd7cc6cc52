import { Kbd, Modal, Table } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCurrentOrLastOrganization } from "../../session/current-organization.ts";
import { mayOpen, navigationItems } from "../../session/navigation.ts";
import { paths } from "../../session/paths.ts";

/** How long "g" waits for its second key. */
const secondKeyTimeoutMs = 1_200;

/** What is opened from elsewhere, also before it is loaded. */
const palette = new EventTarget();
const shortcutSheet = new EventTarget();

export const openPalette = () => void palette.dispatchEvent(new Event("open"));
export const onPaletteOpen = (open: () => void) => listen(palette, open);
const openShortcutSheet = () => void shortcutSheet.dispatchEvent(new Event("open"));
const onShortcutSheetOpen = (open: () => void) => listen(shortcutSheet, open);

function listen(target: EventTarget, open: () => void): () => void {
  target.addEventListener("open", open);
  return () => target.removeEventListener("open", open);
}

export const paletteKeys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘K" : "Ctrl K";

/** Ctrl-K or Cmd-K, "/" and "?" anywhere; "g" and a letter to open a page; "n" for a new license. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  const near = useCurrentOrLastOrganization();
  useEffect(() => {
    let going = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || hasOpenOverlay()) return;
      if (Date.now() - going < secondKeyTimeoutMs && near !== null) {
        going = 0;
        const index = navigationItems.find(({ key }) => key === event.key.toLowerCase());
        if (index !== undefined && mayOpen(near, index.path)) void navigate(index.page(near.slug));
        return;
      }
      if (event.key === "g") going = Date.now();
      else if (event.key === "/") {
        event.preventDefault();
        openPalette();
      } else if (event.key === "?") openShortcutSheet();
      else if (event.key === "n" && near !== null && mayOpen(near, "licenses/new"))
        void navigate(paths.newLicense(near.slug));
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [navigate, near]);
}

/** While a dialog or a menu is open, it gets the keys, so that no keystroke leaves a half-filled form. */
function hasOpenOverlay(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"]') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}

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
          {lines.map(([keys, description]) => (
            <Table.Tr key={description}>
              <Table.Td w={150}>{keys}</Table.Td>
              <Table.Td>{description}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}

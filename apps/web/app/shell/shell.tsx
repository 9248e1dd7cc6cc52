import { AppShell, Burger, Group, ScrollArea, UnstyledButton } from "@mantine/core";
import { useDisclosure, useReducedMotion } from "@mantine/hooks";
import { Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon, Logo } from "../../ui/icon.tsx";
import { Waiting } from "../../ui/page.tsx";
import { ConnectionNotes } from "./connection-notes.tsx";
import { OrganizationMenu, PersonMenu } from "./menus.tsx";
import classes from "./shell.module.css";
import { onPaletteOpen, openPalette, paletteKeys, ShortcutSheet, useShortcuts } from "./shortcuts.tsx";
import { SideBar } from "./side-bar.tsx";

// Most servers have nothing to announce at most times.
const Announcements = lazy(() =>
  import("./announcements.tsx").then((file) => ({ default: file.Announcements })),
);

/** The layout of all pages for signed-in users. */
export function Shell() {
  const { t } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  // On a phone, the menu closes to show the chosen page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect depends on the path.
  useEffect(close, [pathname]);
  useShortcuts();
  const isStill = useReducedMotion();
  return (
    <AppShell
      header={{ height: 52, collapsed: false }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={0}
      transitionDuration={isStill ? 0 : 200}
    >
      <a className={classes.skip} href="#content">
        {t("skipToContent")}
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t("menu")} />
          <Logo size={26} />
          <OrganizationMenu />
          <UnstyledButton className={classes.search} onClick={openPalette} ml="auto">
            <Icon name="search" size={16} />
            <span className={classes.searchWords}>{t("search")}</span>
            <kbd className={classes.keys}>{paletteKeys}</kbd>
          </UnstyledButton>
          <PersonMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        className={classes.navbar}
        aria-label={t("mainNavigation")}
        // Also closes for a link to the same page, or one that is blocked by unsaved changes.
        onClick={({ target }) => target instanceof Element && target.closest("a") !== null && close()}
      >
        <ScrollArea type="never" h="100%">
          <SideBar />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <Suspense fallback={null}>
          <Announcements />
        </Suspense>
        <Suspense fallback={<Waiting />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      <LazyPalette />
      <ShortcutSheet />
      <ConnectionNotes />
    </AppShell>
  );
}

const Palette = lazy(() => import("./palette.tsx").then((module) => ({ default: module.Palette })));

function LazyPalette() {
  const [times, setTimes] = useState(0);
  const typed = useRef("");
  const loading = useRef<AbortController>(null);
  const isThere = useCallback(() => loading.current?.abort(), []);
  useEffect(
    () =>
      onPaletteOpen(() => {
        loading.current ??= keepKeys((key) => {
          typed.current += key;
        });
        setTimes((before) => before + 1);
      }),
    [],
  );
  return times === 0 ? null : (
    <Suspense fallback={null}>
      <Palette times={times} typed={typed} onThere={isThere} />
    </Suspense>
  );
}

/** Keys pressed while the palette is loading are for the palette, not for the page. */
function keepKeys(keep: (key: string) => void): AbortController {
  const until = new AbortController();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.key.length === 1) keep(event.key);
  };
  window.addEventListener("keydown", onKeyDown, { capture: true, signal: until.signal });
  return until;
}

import { Alert, Anchor, Button, Code, Menu, Paper, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { Trans, useTranslation } from "react-i18next";
import { ask } from "../api/queries.ts";
import { atServer, relationTo } from "../api/server-url.ts";
import { type Language, languages } from "../i18n/languages.ts";
import { changeLanguage } from "../i18n/start.ts";
import { DocsLink } from "../ui/help.tsx";
import { Icon, Logo } from "../ui/icon.tsx";

import classes from "./auth-layout.module.css";

export function AuthLayout() {
  const { t } = useTranslation();
  return (
    <main className={classes.outside}>
      <div className={classes.column}>
        <div className={classes.head}>
          <span className={classes.name}>
            <Logo size={32} />
            Countersign
          </span>
          <span className={classes.aside}>
            <DocsLink>{t("docs.link")}</DocsLink>
            <LanguageMenu />
          </span>
        </div>
        <OtherUrl />
        <Suspense fallback={<Coming />}>
          <Outlet />
        </Suspense>
      </div>
    </main>
  );
}

/** The server accepts changes from its own URL only. Another name of this machine leads there. */
function OtherUrl() {
  const { t } = useTranslation();
  const { data: setup } = useQuery({ ...ask("getSetup"), staleTime: Number.POSITIVE_INFINITY });
  const relation = setup === undefined ? "here" : relationTo(setup.url, new URL(location.href));
  useEffect(() => {
    if (setup !== undefined && relation === "loopback") location.replace(atServer(setup.url));
  }, [setup, relation]);
  if (setup === undefined || relation !== "elsewhere") return null;
  return (
    <Alert color="orange" mb="md" icon={<Icon name="warning" />}>
      <Trans
        t={t}
        i18nKey="otherUrl"
        values={{ url: setup.url, here: location.origin }}
        components={{ a: <Anchor href={atServer(setup.url)} />, c: <Code /> }}
      />
    </Alert>
  );
}

/** A placeholder with the shape of a form. */
function Coming() {
  return (
    <Paper withBorder p="xl" radius="lg" aria-hidden="true">
      <Stack>
        <Skeleton height={26} width={160} />
        <Skeleton height={56} />
        <Skeleton height={56} />
        <Skeleton height={36} />
      </Stack>
    </Paper>
  );
}

/** Each language under its own name, so that its speakers can find it. */
function LanguageMenu() {
  const { t, i18n } = useTranslation();
  const now = i18n.language as Language;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          c="dimmed"
          rightSection={<Icon name="down" size={12} />}
          aria-label={`${t("language")}: ${languages[now]}`}
        >
          {languages[now]}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(languages) as Language[]).map((language) => (
          <Menu.RadioItem
            key={language}
            value={language}
            lang={language}
            checked={language === now}
            checkIcon={<Icon name="check" size={14} />}
            closeMenuOnClick
            onChange={() => void changeLanguage(language)}
          >
            {languages[language]}
          </Menu.RadioItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

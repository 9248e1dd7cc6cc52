import { Paper, Skeleton, Stack } from "@mantine/core";
import { Outlet } from "@tanstack/react-router";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { DocsLink } from "../ui/docs-link.tsx";
import { LanguageMenu } from "../ui/language-menu.tsx";
import { Logo } from "../ui/logo.tsx";
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
        <Suspense fallback={<Coming />}>
          <Outlet />
        </Suspense>
      </div>
    </main>
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

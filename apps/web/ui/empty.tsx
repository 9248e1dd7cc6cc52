import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./empty.module.css";
import { Icon, type IconName } from "./icon.tsx";
import { GoButton, type PageLink } from "./links.tsx";

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** What this is for, and what to do next. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Shown in place of an empty list. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" className={classes.empty}>
      <span className={classes.icon}>
        <Icon name={icon} size={22} />
      </span>
      <Title order={2}>{title}</Title>
      <Text c="dimmed" maw={460} ta="center">
        {children}
      </Text>
      {action}
    </Stack>
  );
}

interface NoProductProps {
  /** Where to create one; null without the permission. */
  readonly to: PageLink | null;
  readonly children: ReactNode;
}

/** Shown where a product is required and there is none, with a link to create one. */
export function NoProduct({ to, children }: NoProductProps) {
  const { t } = useTranslation();
  return (
    <Empty
      icon="product"
      title={t("noProduct.title")}
      action={
        to !== null && (
          <GoButton to={to} leftSection={<Icon name="plus" size={16} />}>
            {t("noProduct.do")}
          </GoButton>
        )
      }
    >
      {children}
    </Empty>
  );
}

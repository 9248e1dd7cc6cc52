import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "./empty.tsx";
import { Icon } from "./icon.tsx";

interface NoProductProps {
  /** Where to create one; null without the permission. */
  readonly to: string | null;
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
          <Button component={Link} to={to as "/"} leftSection={<Icon name="plus" size={16} />}>
            {t("noProduct.do")}
          </Button>
        )
      }
    >
      {children}
    </Empty>
  );
}

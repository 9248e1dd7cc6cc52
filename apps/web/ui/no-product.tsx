import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "./empty.tsx";
import { Icon } from "./icon.tsx";

interface NoProductProps {
  /** Where one is made; null for those who may not. */
  readonly to: string | null;
  readonly children: ReactNode;
}

/** In place of what needs a product where there is none, with the way to one. */
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

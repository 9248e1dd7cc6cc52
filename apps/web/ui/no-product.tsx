import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "./empty.tsx";
import { GoButton } from "./go-button.tsx";
import { Icon } from "./icon.tsx";
import type { PageLink } from "./page-link.ts";

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

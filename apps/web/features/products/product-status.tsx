import { useTranslation } from "react-i18next";
import classes from "./product-status.module.css";
import type { Product } from "./use-product.ts";

/** A dot and the word, as licenses have it. */
export function ProductStatus({ status }: { status: Product["status"] }) {
  const { t } = useTranslation("products");
  return (
    <span className={classes.status} data-status={status}>
      {t(`status.${status}`)}
    </span>
  );
}

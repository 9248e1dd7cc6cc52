import { useTranslation } from "react-i18next";
import { StateMark } from "../../../ui/state-mark.tsx";
import type { Product } from "./use-product.ts";

const tones = { active: "good", disabled: "warn", archived: "off" } as const;

export function ProductStatus({ product }: { product: Pick<Product, "status" | "closed_for_sale"> }) {
  const { t } = useTranslation("products");
  const { status, closed_for_sale: isClosed } = product;
  return (
    <StateMark tone={tones[status]}>
      {t(status === "active" && isClosed ? "status.closed" : `status.${status}`)}
    </StateMark>
  );
}

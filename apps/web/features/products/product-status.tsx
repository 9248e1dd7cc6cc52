import { useTranslation } from "react-i18next";
import { StateMark } from "../../ui/state-mark.tsx";
import type { Product } from "./use-product.ts";

const tones = { active: "good", disabled: "warn", archived: "off" } as const;

export function ProductStatus({ status }: { status: Product["status"] }) {
  const { t } = useTranslation("products");
  return <StateMark tone={tones[status]}>{t(`status.${status}`)}</StateMark>;
}

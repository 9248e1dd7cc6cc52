import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Empty } from "../../ui/empty.tsx";
import { GoButton } from "../../ui/go-button.tsx";
import type { TransfersSearch } from "./search.ts";

/** An empty list. If no product offers transfers, it explains how to turn them on. */
export function NoTransfers({ state }: { state: NonNullable<TransfersSearch["state"]> }) {
  const { t } = useTranslation("transfers");
  const { id, slug } = useOrganization();
  const maySee = useMaySee();
  const seesProducts = maySee("products:view", "products:manage");
  const { data } = useQuery({
    ...ask("listProducts", { params: { organization_id: id }, query: { status: "active", limit: 100 } }),
    enabled: seesProducts,
  });
  const products = data?.data ?? [];
  const isOff =
    data?.next_cursor === null &&
    products.every(({ transfers, portal_enabled }) => transfers === "off" || !portal_enabled);
  if (!isOff || (state !== "pending" && state !== "all"))
    return (
      <Empty icon="transfer" title={t(`empty.${state}.title`)}>
        {t(state === "pending" ? "empty.pending.words" : "empty.words")}
      </Empty>
    );
  const [only] = products;
  const to =
    products.length === 1 && only !== undefined ? paths.productPortal(slug, only.id) : paths.products(slug);
  return (
    <Empty
      icon="transfer"
      title={t("empty.off.title")}
      action={
        <GoButton variant="default" to={to}>
          {t(products.length === 1 ? "empty.off.do" : "empty.off.products")}
        </GoButton>
      }
    >
      {t("empty.off.words")}
    </Empty>
  );
}

import { daySeconds } from "@countersign/domain/dates/lengths";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../../api/client.ts";
import { ask, useChange } from "../../../api/queries.ts";
import { useMay } from "../../../session/current-organization.ts";
import { notify, notifyProblem } from "../../../ui/notify.tsx";
import type { Action } from "../search.ts";

export type License = Answer<"getLicense">;
export type Product = Answer<"getProduct">;

/** The product of a license, or null without permission. */
export function useProductOf(license: License): Product | null {
  const may = useMay();
  const { data } = useQuery({
    ...ask("getProduct", { params: { product_id: license.product_id } }),
    enabled: may("products:view", "products:manage", "products:rotate_key"),
  });
  return data ?? null;
}

const licenseRoute = getRouteApi("/signed-in/o/$organization/licenses/$licenseId");

/** The open action and a function to change it. It is stored in the URL. */
export function useAction(): [Action | undefined, (action: Action | undefined) => void] {
  const { do: action } = licenseRoute.useSearch();
  const navigate = licenseRoute.useNavigate();
  return [action, (next) => void navigate({ search: { do: next }, replace: true, resetScroll: false })];
}

/** Reinstates a license. Undoing it revokes the license again with the same reason. */
export function useReinstate(license: License): () => Promise<void> {
  const { t } = useTranslation("licenses");
  const reinstate = useChange("reinstateLicense");
  const revoke = useChange("revokeLicense");
  const params = { license_id: license.id };
  return async () => {
    const { revoked_reason: reason } = license;
    try {
      await reinstate.mutateAsync({ params });
      notify(t("done.reinstated"), () => revoke.mutateAsync({ params, body: { reason } }));
    } catch (error) {
      notifyProblem(error);
    }
  };
}

/** A localized duration: in days if it is whole days, otherwise in hours. */
export function spanText(seconds: number, language: string): string {
  const days = seconds / daySeconds;
  const [amount, unit] = Number.isInteger(days) ? [days, "day"] : [Math.round(seconds / 360) / 10, "hour"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(Number(amount));
}

export function inDays(seconds: number): number {
  return Math.round((seconds / daySeconds) * 100) / 100;
}

export function inSeconds(days: number): number {
  return Math.round(days * daySeconds);
}

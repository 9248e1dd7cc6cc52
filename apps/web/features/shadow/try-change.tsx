import { useTranslation } from "react-i18next";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/links.tsx";
import { useProduct } from "../products/frame/use-product.ts";
import type { ChangeType } from "./search.ts";

/** Next to a setting: tries a change against past requests first. Null without access to these. */
export function TryChange({ change }: { change: ChangeType }) {
  const { t } = useTranslation("shadow");
  const { slug } = useOrganization();
  const product = useProduct();
  if (!useMaySee()("requests:view")) return null;
  return (
    <GoLink to={paths.shadow(slug, product.id, { change })} size="sm">
      {t("before")}
    </GoLink>
  );
}

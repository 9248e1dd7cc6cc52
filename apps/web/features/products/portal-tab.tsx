import { Alert, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { NoEmail } from "../../app/no-email.tsx";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Icon } from "../../ui/icon.tsx";
import { GoButton } from "../../ui/links.tsx";
import { Panel } from "../../ui/section.tsx";
import { Downloads } from "./downloads-panel.tsx";
import { type Product, useProduct } from "./frame/use-product.ts";
import { ChoiceSetting, NumberSetting, SwitchSetting, TextSetting } from "./settings/setting-kinds.tsx";

/** What customers see and can do in the portal with their licenses of this product. */
export function PortalTab() {
  const { t } = useTranslation("products");
  const product = useProduct();
  const sendsEmail = useSendsEmail();
  const isFixed = !useMay()("products:manage");
  const common = { product, isFixed };
  const remarks = portalRemarks(product);
  const noEffect = (name: keyof typeof remarks.noEffect) => {
    const reason = remarks.noEffect[name];
    return reason === null ? undefined : t(`noEffect.${reason}`);
  };
  return (
    <>
      {isFixed && (
        <Alert color="gray" mb="md" icon={<Icon name="info" />}>
          {t("readOnly")}
        </Alert>
      )}
      <Panel title={t("group.portal")} lead={t("group.portalWords")} actions={<OpenPortal />}>
        {!sendsEmail && <NoEmail>{t("group.portalNoEmail")}</NoEmail>}
        <div>
          <SwitchSetting name="portal_enabled" {...common} />
          <TextSetting
            name="renewal_url"
            placeholder="https://example.com/renew"
            {...common}
            noEffect={noEffect("renewal_url")}
          />
        </div>
      </Panel>
      <Panel title={t("group.selfService")} lead={t("group.selfServiceWords")}>
        <div>
          <NumberSetting
            name="portal_ip_removals_per_30_days"
            {...common}
            noEffect={noEffect("portal_ip_removals_per_30_days")}
            caution={remarks.cannotReplaceIps ? t("caution.cannotReplace") : undefined}
          />
          <SwitchSetting name="portal_key_rotation" {...common} noEffect={noEffect("portal_key_rotation")} />
        </div>
      </Panel>
      <Panel title={t("group.transfers")} lead={t("group.transfersWords")}>
        {remarks.formerOwnersKeepAccess && (
          <Alert color="orange" icon={<Icon name="warning" />}>
            {t("caution.formerKey")}
          </Alert>
        )}
        <div>
          <ChoiceSetting
            name="transfers"
            choices={["off", "review", "automatic"]}
            {...common}
            noEffect={noEffect("transfers")}
          />
          <NumberSetting
            name="transfer_cooldown_days"
            unit={t("days")}
            {...common}
            noEffect={noEffect("transfer_cooldown_days")}
          />
          <SwitchSetting name="transfer_resets_ips" {...common} noEffect={noEffect("transfer_resets_ips")} />
          <SwitchSetting
            name="transfer_rotates_key"
            {...common}
            noEffect={noEffect("transfer_rotates_key")}
          />
        </div>
      </Panel>
      <Downloads product={product} mayManage={!isFixed} />
    </>
  );
}

/** The portal where customers sign in, and how the organization looks there. */
function OpenPortal() {
  const { t } = useTranslation("products");
  const { id, slug } = useOrganization();
  const mayBrand = useMay()("organization:manage");
  const { data } = useQuery(ask("getBranding", { params: { organization_id: id } }));
  if (data === undefined) return null;
  return (
    <>
      {mayBrand && (
        <GoButton variant="default" to={paths.portalSettings(slug)}>
          {t("group.portalBranding")}
        </GoButton>
      )}
      <Button component="a" href={data.portal_url} target="_blank" rel="noopener" variant="default">
        {t("group.portalOpen")}
        <span role="img" aria-label={t("everywhere:docs.newTab")}>
          {"\u00a0↗"}
        </span>
      </Button>
    </>
  );
}

type Settings = Pick<
  Product,
  | "portal_enabled"
  | "portal_ip_removals_per_30_days"
  | "track_ip_on_validate"
  | "auto_register_ip_on_validate"
  | "transfers"
  | "transfer_rotates_key"
>;

/** Which settings of the portal have no effect at present and why, and which combinations are risky. */
export function portalRemarks(product: Settings) {
  const portalOff = product.portal_enabled ? null : ("portalOff" as const);
  const takesRequests = product.portal_enabled && product.transfers !== "off";
  // A decision about a request that is already waiting applies these in any case.
  const onlyWaiting = takesRequests ? null : ("onlyWaiting" as const);
  const removesIps = product.portal_ip_removals_per_30_days > 0;
  return {
    noEffect: {
      renewal_url: portalOff,
      portal_ip_removals_per_30_days: portalOff ?? (product.track_ip_on_validate ? null : "noTracking"),
      portal_key_rotation: portalOff,
      transfers: portalOff,
      transfer_cooldown_days: portalOff ?? withoutCooldown[product.transfers],
      transfer_resets_ips: onlyWaiting,
      transfer_rotates_key: onlyWaiting,
    },
    cannotReplaceIps: removesIps && product.track_ip_on_validate && !product.auto_register_ip_on_validate,
    // With the same key, they can register their IP addresses again.
    formerOwnersKeepAccess: takesRequests && !product.transfer_rotates_key,
  };
}

const withoutCooldown = { off: "transfersOff", review: "notAutomatic", automatic: null } as const;

import { languages } from "@countersign/domain/mail/languages";
import { Alert } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { NoEmail } from "../../app/no-email.tsx";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { effectivePlan, planName, usePlans, versionChecksOf } from "../../session/plan.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/section.tsx";
import { TryChange } from "../shadow/try-change.tsx";
import { useProduct } from "./frame/use-product.ts";
import { ChoiceSetting, NumberSetting, SwitchSetting, TextSetting } from "./settings/setting-kinds.tsx";

/** All settings of a product, with their effects. Each is saved when it is changed. */
export function SettingsTab() {
  const { t } = useTranslation("products");
  const product = useProduct();
  const organization = useOrganization();
  const sendsEmail = useSendsEmail();
  const isFixed = !useMay()("products:manage");
  const common = { product, isFixed };
  const plans = usePlans();
  const versionChecks = versionChecksOf(organization, plans);
  const plan = planName(plans, effectivePlan(organization));
  const when = (is: boolean, reasonKey: string) => (is ? t(`noEffect.${reasonKey}`) : undefined);
  const tracksNothing = when(!product.track_ip_on_validate, "noTracking");
  const sendsNoKeyEmail = when(!product.deliver_license_by_email, "noKeyEmail");
  return (
    <>
      {isFixed && (
        <Alert color="gray" mb="md" icon={<Icon name="info" />}>
          {t("readOnly")}
        </Alert>
      )}
      <Panel title={t("group.general")}>
        <div>
          <TextSetting name="name" {...common} />
        </div>
      </Panel>
      <Panel title={t("group.ips")} lead={t("group.ipsWords")} actions={<TryChange change="registration" />}>
        <div>
          <SwitchSetting name="track_ip_on_validate" {...common} />
          <SwitchSetting name="auto_register_ip_on_validate" {...common} noEffect={tracksNothing} />
          <ChoiceSetting
            name="auto_register_scope"
            choices={["until_limit", "first_only"]}
            {...common}
            noEffect={tracksNothing ?? when(!product.auto_register_ip_on_validate, "noRegistration")}
          />
          <ChoiceSetting name="ipv6_prefix" choices={[64, 128]} {...common} />
        </div>
      </Panel>
      <Panel title={t("group.expiry")}>
        <div>
          <SwitchSetting name="expiry_enforcement" {...common} />
          <NumberSetting name="expiring_soon_days" unit={t("days")} {...common} />
        </div>
      </Panel>
      <Panel title={t("group.versions")}>
        <div>
          <SwitchSetting
            name="version_module_enabled"
            {...common}
            noEffect={versionChecks === "off" ? t("noEffect.plan", { plan }) : undefined}
            caution={
              versionChecks === "enforced" || versionChecks === "reported"
                ? t(`versionChecks.${product.version_module_enabled ? versionChecks : "unavailable"}`, {
                    plan,
                  })
                : undefined
            }
          />
          <ChoiceSetting
            name="version_enforcement"
            choices={["enforce", "report"]}
            {...common}
            noEffect={when(!product.version_module_enabled, "noVersions")}
          />
        </div>
      </Panel>
      <Panel title={t("group.signing")}>
        <div>
          <SwitchSetting
            name="signed_validation"
            {...common}
            noEffect={when(!organization.signed_validation, "organizationUnsigned")}
          />
        </div>
      </Panel>
      <Panel title={t("group.responses")}>
        <div>
          <SwitchSetting
            name="custom_response_enabled"
            {...common}
            noEffect={when(product.custom_response === null, "noTemplate")}
          />
          <SwitchSetting
            name="custom_response_on_refusal"
            {...common}
            noEffect={when(!product.custom_response_enabled, "noCustom")}
          />
        </div>
      </Panel>
      <Panel title={t("group.defaults")} lead={t("group.defaultsWords")}>
        <div>
          <NumberSetting name="default_expires_in_days" unit={t("days")} empty={t("lifetime")} {...common} />
          <SwitchSetting name="default_ip_system_enabled" {...common} />
          <NumberSetting name="default_max_ips" {...common} />
        </div>
      </Panel>
      <Panel title={t("group.emails")} lead={t("group.emailsWords")}>
        {!sendsEmail && <NoEmail>{t("group.noEmail")}</NoEmail>}
        <div>
          <SwitchSetting name="deliver_license_by_email" {...common} />
          <TextSetting name="license_email_text" long {...common} noEffect={sendsNoKeyEmail} />
          <SwitchSetting name="expiring_soon_email" {...common} />
          <ChoiceSetting name="locale" choices={[null, ...languages]} {...common} />
        </div>
      </Panel>
    </>
  );
}

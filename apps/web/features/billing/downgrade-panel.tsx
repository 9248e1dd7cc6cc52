import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { type Billing, isSubscribed } from "./billing.ts";
import { useOnDowngrade } from "./use-on-downgrade.ts";
import { type OnDowngrade, VersionChecksChoice } from "./version-checks-choice.tsx";

/**
 * What happens to version checks without a plan that includes them. Shown before the organization leaves such a plan and
 * after it has; null if it never had one or no product checks versions.
 */
export function DowngradePanel({ billing }: { readonly billing: Billing }) {
  const { t } = useTranslation("billing");
  const { had_version_module: hadModule } = useOrganization();
  const mayChange = useMay()("organization:manage");
  const { save, pending } = useOnDowngrade();
  const { included, product_count: count, on_downgrade: stored } = billing.version_checks;
  const canEnd = isSubscribed(billing) || billing.plan_ends_at !== null;
  if (!hadModule || count === 0 || (included && !canEnd)) return null;
  const value = pending ?? stored;
  const change = async (next: OnDowngrade) => {
    await save(next);
    notify(t(`downgrade.${next}.done`), () => save(stored));
  };
  return (
    <Panel
      title={t("downgrade.title")}
      lead={t(included ? "downgrade.before" : "downgrade.after", { count, plan: billing.plan_name })}
    >
      {mayChange ? (
        <VersionChecksChoice
          label={t("downgrade.label")}
          value={value}
          onChange={(next) => void change(next).catch(notifyProblem)}
        />
      ) : (
        <div>
          <Text fw={600}>{t(`downgrade.${value}.label`)}</Text>
          <Text>{t(`downgrade.${value}.words`)}</Text>
          <Text c="dimmed">{t("downgrade.viewOnly")}</Text>
        </div>
      )}
    </Panel>
  );
}

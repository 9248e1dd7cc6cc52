import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { plans } from "./terms.ts";

/** The defaults of new organizations. Changes are saved immediately, and reverted with a reason if refused. */
export function NewOrganizationsPanel() {
  const { t } = useTranslation("admin");
  const settings = useQuery(ask("getPlatformSettings"));
  const save = useChange("updatePlatformSettings", ["getPlatformSettings"]);
  if (settings.data === undefined) return null;
  const isElsewhere = settings.data.default_plan_set_by === "environment";
  const plan = (save.isPending && save.variables?.body?.default_plan) || settings.data.default_plan;
  const choose = (value: string | null) => {
    const next = plans.find((one) => one === value);
    if (next === undefined || next === plan) return;
    save.mutate(
      { body: { default_plan: next } },
      { onSuccess: () => notify(t("terms.done")), onError: notifyProblem },
    );
  };
  return (
    <Panel title={t("settings.title")} lead={t("settings.lead")}>
      <Select
        maw={420}
        label={t("settings.plan")}
        description={isElsewhere ? t("settings.environment") : t(`settings.${plan}`)}
        disabled={isElsewhere}
        data={plans.map((value) => ({ value, label: t(`plans.${value}`) }))}
        value={plan}
        onChange={choose}
        allowDeselect={false}
      />
    </Panel>
  );
}

import { Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/current-organization.ts";
import type { Plan } from "../../session/plan.ts";
import { Confirm } from "../../ui/confirm.tsx";
import type { Billing } from "./billing.ts";
import { useOnDowngrade } from "./use-on-downgrade.ts";
import { type OnDowngrade, VersionChecksChoice } from "./version-checks-choice.tsx";

interface LeaveQuestionProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly billing: Billing;
  /** The plan without version checks. */
  readonly plan: Plan;
  readonly onConfirm: () => Promise<unknown>;
}

/** Says what a plan without version checks means, and lets the organization choose, before it is left. */
export function LeaveQuestion({ opened, onClose, billing, plan, onConfirm }: LeaveQuestionProps) {
  const { t } = useTranslation("billing");
  const mayChange = useMay()("organization:manage");
  const { save } = useOnDowngrade();
  const { product_count: count, on_downgrade: stored } = billing.version_checks;
  const [value, setValue] = useState<OnDowngrade>(stored);
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t("leave.title", { plan: plan.name })}
      action={t("leave.do")}
      harmless
      onConfirm={async () => {
        if (mayChange && value !== stored) await save(value);
        await onConfirm();
      }}
    >
      <Stack gap="xs">
        <Text>{t("leave.data")}</Text>
        <Text>{t("leave.versions", { count, plan: plan.name })}</Text>
        {mayChange ? (
          <VersionChecksChoice label={t("downgrade.label")} value={value} onChange={setValue} />
        ) : (
          <Text fw={600}>{t(`downgrade.${stored}.words`)}</Text>
        )}
      </Stack>
    </Confirm>
  );
}

import { Radio, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import type { Plan } from "../../session/plan.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/section.tsx";
import classes from "./billing.module.css";
import { type Billing, isSubscribed } from "./billing.ts";

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

type OnDowngrade = "enforce" | "report";
const onDowngradeChoices: readonly OnDowngrade[] = ["enforce", "report"];

interface VersionChecksChoiceProps {
  readonly label: string;
  readonly value: OnDowngrade;
  readonly onChange: (value: OnDowngrade) => void;
}

/** What products that check versions do on a plan without version checks. */
function VersionChecksChoice({ label, value, onChange }: VersionChecksChoiceProps) {
  const { t } = useTranslation("billing");
  return (
    <Radio.Group label={label} value={value} onChange={(next) => onChange(next as OnDowngrade)}>
      <div className={classes.choices}>
        {onDowngradeChoices.map((one) => (
          <Radio
            key={one}
            size="md"
            value={one}
            label={t(`downgrade.${one}.label`)}
            description={t(`downgrade.${one}.words`)}
          />
        ))}
      </div>
    </Radio.Group>
  );
}

/** Sets what happens to version checks on a plan without them. */
function useOnDowngrade() {
  const { id } = useOrganization();
  const change = useChange("updateOrganization");
  return {
    save: (value: OnDowngrade) =>
      change.mutateAsync({
        params: { organization_id: id },
        body: { version_checks_on_downgrade: value },
      }),
    /** Shown immediately, and reverted if it is refused. */
    pending: change.isPending ? (change.variables?.body?.version_checks_on_downgrade ?? null) : null,
  };
}

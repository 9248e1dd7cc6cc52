import { List, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { isInDays, type PlanEffects, type PlanFields, type PlanLimit } from "./plan-changes.ts";
import { useNoLimit } from "./plan-names.ts";

interface PlanEffectsListProps {
  readonly saved: PlanFields;
  readonly next: PlanFields;
  readonly effects: PlanEffects;
  /** How many organizations are on the plan; null if that is not known. */
  readonly count: number | null;
}

/** What a changed plan means for the organizations on it, one sentence for each change. */
export function PlanEffectsList({ saved, next, effects, count }: PlanEffectsListProps) {
  const { t, i18n } = useTranslation("admin");
  const noLimit = useNoLimit();
  const shown = (name: PlanLimit, value: number | null) =>
    value === null ? noLimit(name) : value.toLocaleString(i18n.language);
  const keeps = effects.lowered.some((name) => name !== "daily_limit" && !isInDays(name));
  return (
    <Stack gap="sm">
      {count !== null && (
        <Text fw={600}>
          {t("planEffects.organizations", { count, number: count.toLocaleString(i18n.language) })}
        </Text>
      )}
      <List size="sm" spacing={4}>
        {effects.lowered.map((name) => (
          <List.Item key={name}>
            {t(`limits.${name}`)}: {shown(name, saved[name])} → {shown(name, next[name])}
          </List.Item>
        ))}
        {effects.losesVersions && <List.Item>{t("planEffects.versions")}</List.Item>}
        {effects.newPrice && <List.Item>{t("planEffects.price")}</List.Item>}
        {effects.notSold && <List.Item>{t("planEffects.notSold")}</List.Item>}
      </List>
      {keeps && <Text size="sm">{t("planEffects.keeps")}</Text>}
      {effects.lowered.includes("daily_limit") && <Text size="sm">{t("planEffects.requests")}</Text>}
      {effects.lowered.includes("request_log_days") && <Text size="sm">{t("planEffects.log")}</Text>}
      {effects.lowered.includes("audit_log_days") && <Text size="sm">{t("planEffects.auditLog")}</Text>}
    </Stack>
  );
}

import { amountToText } from "@countersign/domain/billing/money";
import { Group, List, NumberInput, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { notify } from "../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { changedFields } from "./changed-fields.ts";
import { type Limit, LimitField, PriceField, readPrice } from "./limit-fields.tsx";
import {
  hasExamplePrices,
  isInDays,
  leastOf,
  mostOf,
  needsConfirmation,
  type PlanEffects,
  type PlanFields,
  type PlanLimit,
  planEffects,
  planLimits,
} from "./plan-changes.ts";
import { useNoLimit } from "./plan-names.ts";

interface PlanFormProps {
  readonly plan: Item<"listPlans">;
  /** How many organizations are on it; null if that is not known. */
  readonly count: number | null;
  readonly onSaved: () => void;
}

/** Everything about a plan. Asks first if organizations on it lose something. */
export function PlanForm({ plan, count, onSaved }: PlanFormProps) {
  const { t, i18n } = useTranslation("admin");
  const save = useChange("updatePlan");
  const [name, setName] = useState(plan.name);
  const [limits, setLimits] = useState<Readonly<Record<PlanLimit, Limit>>>(plan);
  const [hasVersions, setVersions] = useState(plan.version_module);
  const textOf = (amount: number | null) =>
    amount === null ? "" : amountToText(amount, plan.currency, i18n.language);
  const [monthly, setMonthly] = useState(textOf(plan.monthly_price));
  const [yearly, setYearly] = useState(textOf(plan.yearly_price));
  const [trial, setTrial] = useState<number | string>(plan.trial_days);
  const [isAsking, setAsking] = useState(false);
  const amountOf = (text: string) => {
    const read = readPrice(text, plan.currency, i18n.language);
    return read.ok ? read.amount : null;
  };
  const next = {
    name: name.trim(),
    // The form is not sent while one is empty.
    ...(Object.fromEntries(
      planLimits.map((limit) => [limit, limits[limit] === "" ? plan[limit] : limits[limit]]),
    ) as Record<PlanLimit, number | null>),
    version_module: hasVersions,
    monthly_price: amountOf(monthly),
    yearly_price: amountOf(yearly),
    trial_days: Number(trial),
  };
  const effects = planEffects(plan, next);
  const submit = async () => {
    await save.mutateAsync({
      params: { plan: plan.plan },
      body: {
        ...changedFields(plan, next),
        updated_at: plan.updated_at,
      },
    });
    notify(t("terms.done"));
    onSaved();
  };
  const isSold = plan.plan !== "free";
  return (
    <>
      <DialogForm
        onSubmit={() => {
          if (needsConfirmation(effects)) {
            setAsking(true);
            // Nothing has been sent yet.
            return false;
          }
          // The error is shown in the form.
          submit().catch(() => undefined);
          return true;
        }}
        typed={[name, limits, hasVersions, monthly, yearly, trial]}
        error={isAsking ? null : save.error}
        isSent={save.isPending || save.isSuccess}
        isBusy={save.isPending}
        action={t("everywhere:save")}
      >
        <ProblemAlert error={isAsking ? null : save.error} beside={["name", ...planLimits]} />
        <TextInput
          label={t("planList.name")}
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(save.error, "name")}
        />
        <Title order={3}>{t("planList.limits")}</Title>
        {planLimits.map((limit) => (
          <Stack key={limit} gap={4}>
            <LimitField
              label={t(`limits.${limit}`)}
              description={t(`limits.${limit}_words`)}
              min={leastOf(limit)}
              max={mostOf[limit]}
              {...(limit === "request_log_days" ? { none: t("terms.serverDefault") } : {})}
              {...(limit === "audit_log_days" ? { none: t("forEver") } : {})}
              value={limits[limit]}
              onChange={(value) => setLimits((before) => ({ ...before, [limit]: value }))}
              error={fieldError(save.error, limit)}
            />
            {limit === "daily_limit" && <ValidateHelp about="dailyLimit" />}
          </Stack>
        ))}
        <Switch
          label={t("limits.version_module")}
          description={t("limits.version_module_words")}
          checked={hasVersions}
          onChange={(event) => setVersions(event.currentTarget.checked)}
        />
        {isSold && (
          <>
            <Title order={3}>{t("planList.prices")}</Title>
            {hasExamplePrices(plan) && <Text size="sm">{t("planList.exampleWords")}</Text>}
            <Group grow align="flex-start" preventGrowOverflow={false}>
              <PriceField
                label={t("planList.monthly")}
                per="month"
                currency={plan.currency}
                value={monthly}
                onChange={setMonthly}
                error={fieldError(save.error, "monthly_price")}
              />
              <PriceField
                label={t("planList.yearly")}
                per="year"
                currency={plan.currency}
                value={yearly}
                onChange={setYearly}
                error={fieldError(save.error, "yearly_price")}
              />
            </Group>
            <NumberInput
              label={t("planList.trialDays")}
              description={t("planList.trialWords")}
              inputWrapperOrder={["label", "input", "description", "error"]}
              required
              withAsterisk={false}
              min={0}
              max={730}
              clampBehavior="strict"
              allowDecimal={false}
              allowNegative={false}
              value={trial}
              onChange={setTrial}
              error={fieldError(save.error, "trial_days")}
            />
          </>
        )}
        <Text size="sm" c="dimmed">
          {t("terms.lead")}
        </Text>
      </DialogForm>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t("planList.confirm", { name: plan.name })}
        action={t("planList.confirmDo")}
        harmless={effects.lowered.length === 0 && !effects.losesVersions}
        onConfirm={submit}
      >
        <PlanEffectsList saved={plan} next={next} effects={effects} count={count} />
      </Confirm>
    </>
  );
}

interface PlanEffectsListProps {
  readonly saved: PlanFields;
  readonly next: PlanFields;
  readonly effects: PlanEffects;
  /** How many organizations are on the plan; null if that is not known. */
  readonly count: number | null;
}

/** What a changed plan means for the organizations on it, one sentence for each change. */
function PlanEffectsList({ saved, next, effects, count }: PlanEffectsListProps) {
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

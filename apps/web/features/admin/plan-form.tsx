import { amountToText } from "@countersign/domain/billing/money";
import { Group, List, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { DialogForm } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { SwitchField, TextField } from "../../ui/fields.tsx";
import { ValidateHelp } from "../../ui/help.tsx";
import { notify } from "../../ui/notify.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { type Field, useForm } from "../../ui/use-form.tsx";
import { type Limit, LimitField, PriceField, readPrice } from "./limit-fields.tsx";
import {
  hasExamplePrices,
  isInDays,
  maxOf,
  minOf,
  needsConfirmation,
  type PlanEffects,
  type PlanFields,
  type PlanLimit,
  planEffects,
  planLimits,
  useNoLimit,
} from "./plans.ts";
import { changedFields } from "./settings-form.ts";

type Plan = Item<"listPlans">;

interface PlanFormProps {
  readonly plan: Plan;
  /** How many organizations are on it; null if that is not known. */
  readonly count: number | null;
  readonly onSaved: () => void;
}

/** Everything about a plan. Asks first if organizations on it lose something. */
export function PlanForm({ plan, count, onSaved }: PlanFormProps) {
  const { t, i18n } = useTranslation("admin");
  const save = useChange("updatePlan");
  const [isAsking, setAsking] = useState(false);
  const submit = async () => {
    await save.mutateAsync({
      params: { plan: plan.plan },
      body: { ...changedFields(plan, next), updated_at: plan.updated_at },
    });
    notify(t("terms.done"));
    onSaved();
  };
  const form = useForm({ start: draftOf(plan, i18n.language), send: submit });
  const next = planOf(form.values, plan, i18n.language);
  const effects = planEffects(plan, next);
  // While the question is open, it shows why it was refused.
  const error = isAsking ? null : save.error;
  const fields: FieldsProps = {
    plan,
    field: (name) => ({ ...form.field(name), error: fieldError(save.error, name) }),
  };
  return (
    <>
      <DialogForm
        {...form.props}
        onSubmit={() => {
          if (!needsConfirmation(effects)) return form.submit();
          setAsking(true);
          // Nothing has been sent yet.
          return false;
        }}
        error={error}
        isSent={save.isPending || save.isSuccess}
        isBusy={save.isPending}
        action={t("everywhere:save")}
      >
        <ProblemAlert error={error} beside={Object.keys(form.values)} />
        <TextField {...fields.field("name")} label={t("planList.name")} required maxLength={100} />
        <LimitFields {...fields} />
        {plan.plan !== "free" && <PriceFields {...fields} />}
        <Dimmed>{t("terms.lead")}</Dimmed>
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

/** What is typed: prices as people write them, and empty text for a number that is missing. */
interface PlanDraft extends Readonly<Record<PlanLimit, Limit>> {
  readonly name: string;
  readonly version_module: boolean;
  readonly monthly_price: string;
  readonly yearly_price: string;
  readonly trial_days: number | "";
}

function draftOf(plan: Plan, language: string): PlanDraft {
  const textOf = (amount: number | null) =>
    amount === null ? "" : amountToText(amount, plan.currency, language);
  const { name, version_module, trial_days } = plan;
  return {
    ...limitsOf((limit) => plan[limit]),
    name,
    version_module,
    monthly_price: textOf(plan.monthly_price),
    yearly_price: textOf(plan.yearly_price),
    trial_days,
  };
}

/** The plan as it was typed. The form is not sent while a limit is empty or a price cannot be read. */
function planOf(draft: PlanDraft, plan: Plan, language: string) {
  const amountOf = (text: string) => {
    const read = readPrice(text, plan.currency, language);
    return read.ok ? read.amount : null;
  };
  return {
    ...limitsOf((limit) => (draft[limit] === "" ? plan[limit] : draft[limit])),
    name: draft.name.trim(),
    version_module: draft.version_module,
    monthly_price: amountOf(draft.monthly_price),
    yearly_price: amountOf(draft.yearly_price),
    trial_days: Number(draft.trial_days),
  };
}

function limitsOf(read: (limit: PlanLimit) => number | null): Record<PlanLimit, number | null> {
  const limits = Object.fromEntries(planLimits.map((limit) => [limit, read(limit)]));
  return limits as Record<PlanLimit, number | null>;
}

interface FieldsProps {
  readonly plan: Plan;
  readonly field: <Name extends keyof PlanDraft & string>(name: Name) => Field<PlanDraft[Name]>;
}

function LimitFields({ field }: FieldsProps) {
  const { t } = useTranslation("admin");
  const noLimit = useNoLimit();
  return (
    <>
      <Title order={3}>{t("planList.limits")}</Title>
      {planLimits.map((limit) => (
        <Stack key={limit} gap={4}>
          <LimitField
            {...field(limit)}
            label={t(`limits.${limit}`)}
            description={t(`limits.${limit}_words`)}
            none={noLimit(limit)}
            min={minOf(limit)}
            max={maxOf[limit]}
          />
          {limit === "daily_limit" && <ValidateHelp about="dailyLimit" />}
        </Stack>
      ))}
      <SwitchField
        {...field("version_module")}
        label={t("limits.version_module")}
        description={t("limits.version_module_words")}
      />
    </>
  );
}

function PriceFields({ plan, field }: FieldsProps) {
  const { t } = useTranslation("admin");
  return (
    <>
      <Title order={3}>{t("planList.prices")}</Title>
      {hasExamplePrices(plan) && <Text size="sm">{t("planList.exampleWords")}</Text>}
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <PriceField
          {...field("monthly_price")}
          label={t("planList.monthly")}
          per="month"
          currency={plan.currency}
        />
        <PriceField
          {...field("yearly_price")}
          label={t("planList.yearly")}
          per="year"
          currency={plan.currency}
        />
      </Group>
      <NumberField
        {...field("trial_days")}
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
      />
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

import { Button, Group, NativeSelect, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../../session/current-organization.ts";
import { useVersionChecks } from "../../../session/plan.ts";
import { Form } from "../../../ui/form.tsx";
import { consequenceOf } from "../frame/consequence.ts";
import { type Changes, type Product, useProductChange } from "../frame/use-product.ts";
import { ChangeQuestion } from "./change-question.tsx";
import classes from "./setting.module.css";
import { inputDescribed, Setting, type SettingName } from "./setting.tsx";
import { type NumberName, type TextName, useDraft } from "./use-draft.ts";

type Of<T> = { [Name in SettingName]-?: T extends Product[Name] ? Name : never }[SettingName];

interface Common {
  readonly product: Product;
  readonly isFixed: boolean;
  readonly noEffect?: string | undefined;
  readonly caution?: string | undefined;
}

export function SwitchSetting({ name, product, isFixed, ...remarks }: Common & { name: Of<boolean> }) {
  const { save, question } = useAskedChange(product);
  return (
    <>
      <Setting
        name={name}
        {...remarks}
        kind="switch"
        control={(described) => (
          <Switch
            size="md"
            disabled={isFixed}
            checked={product[name]}
            onChange={(event) => save({ [name]: event.currentTarget.checked })}
            {...described}
          />
        )}
      />
      {question}
    </>
  );
}

/** Saves a change that affects no customer immediately, and asks before any other. */
function useAskedChange(product: Product) {
  const { signed_validation } = useOrganization();
  const terms = { signed_validation, versionChecks: useVersionChecks() };
  const { save } = useProductChange(product);
  const [asked, setAsked] = useState<Changes | null>(null);
  return {
    save: (changes: Changes) => {
      if (consequenceOf(product, changes, terms) === null) void save(changes);
      else setAsked(changes);
    },
    question: (
      <ChangeQuestion
        product={product}
        consequence={asked === null ? null : consequenceOf(product, asked, terms)}
        onConfirm={async () => asked !== null && save(asked)}
        onClose={() => setAsked(null)}
      />
    ),
  };
}

type ChoiceName = "auto_register_scope" | "ipv6_prefix" | "version_enforcement" | "locale" | "transfers";

/** `null` is a choice if the setting can use a default. */
export function ChoiceSetting({
  name,
  choices,
  product,
  isFixed,
  ...remarks
}: Common & { name: ChoiceName; choices: readonly Product[ChoiceName][] }) {
  const { t } = useTranslation("products");
  const { save, question } = useAskedChange(product);
  return (
    <>
      <Setting
        name={name}
        {...remarks}
        control={(described) => (
          <NativeSelect
            disabled={isFixed}
            value={String(product[name])}
            onChange={(event) => {
              const chosen = choices.find((choice) => String(choice) === event.currentTarget.value);
              save({ [name]: chosen } as Changes);
            }}
            data={choices.map((choice) => ({
              value: String(choice),
              label: t(`setting.${name}.choices.${choice}`),
            }))}
            {...inputDescribed(described, null)}
          />
        )}
      />
      {question}
    </>
  );
}

/** An empty field saves null, for settings that allow it. */
export function NumberSetting({
  name,
  product,
  isFixed,
  unit,
  empty,
  ...remarks
}: Common & { name: NumberName; unit?: string; empty?: string }) {
  const { t } = useTranslation();
  const form = useDraft(product, name);
  const written = form.draft ?? String(product[name] ?? "");
  const value = written === "" ? null : Number(written);
  const isReady = form.draft !== null && value !== product[name] && (value !== null || empty !== undefined);
  return (
    <Setting
      name={name}
      {...remarks}
      control={(described) => (
        <Form
          onSubmit={() => isReady && form.submit(value)}
          typed={isReady ? value : null}
          base={null}
          error={form.problem}
        >
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <NumberInput
              className={classes.number ?? ""}
              allowDecimal={false}
              allowNegative={false}
              hideControls
              disabled={isFixed}
              suffix={unit === undefined ? "" : ` ${unit}`}
              placeholder={empty ?? ""}
              value={written}
              onChange={(next) => form.setDraft(String(next))}
              error={form.error}
              {...inputDescribed(described, form.error)}
            />
            {isReady && (
              <Button type="submit" variant="light" loading={form.isBusy}>
                {t("save")}
              </Button>
            )}
          </Group>
        </Form>
      )}
    />
  );
}

/** An empty field saves null, except for the name. */
export function TextSetting({
  name,
  product,
  isFixed,
  long = false,
  placeholder,
  ...remarks
}: Common & { name: TextName; long?: boolean; placeholder?: string }) {
  const { t } = useTranslation();
  const form = useDraft(product, name);
  const written = form.draft ?? product[name] ?? "";
  const value = written.trim() === "" && name !== "name" ? null : written;
  const isReady = form.draft !== null && value !== product[name];
  const Input = long ? Textarea : TextInput;
  return (
    <Setting
      name={name}
      {...remarks}
      kind="below"
      control={(described) => (
        <Form
          onSubmit={() => isReady && form.submit(value)}
          typed={isReady ? written : null}
          base={null}
          error={form.problem}
        >
          <Group gap="xs" align="flex-end" wrap="nowrap">
            <Input
              flex={1}
              maw="44rem"
              maxLength={name === "name" ? 100 : 2_000}
              disabled={isFixed}
              value={written}
              onChange={(event) => form.setDraft(event.currentTarget.value)}
              error={form.error}
              {...(placeholder === undefined ? {} : { placeholder })}
              {...(long ? { autosize: true, minRows: 3 } : {})}
              {...inputDescribed(described, form.error)}
            />
            {isReady && (
              <Button type="submit" variant="light" loading={form.isBusy}>
                {t("save")}
              </Button>
            )}
          </Group>
        </Form>
      )}
    />
  );
}

import { Button, Group, NativeSelect, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../../../ui/form.tsx";
import { notify } from "../../../ui/notify.tsx";
import { fieldError } from "../../../ui/problem-alert.tsx";
import { useSending } from "../../../ui/use-sending.ts";
import { type Changes, type Product, useProductChange } from "../frame/use-product.ts";
import { useChangeAfterQuestion } from "./change-question.tsx";
import classes from "./setting.module.css";
import { inputDescribed, Setting, type SettingName } from "./setting.tsx";

type Of<T> = { [Name in SettingName]-?: T extends Product[Name] ? Name : never }[SettingName];

interface Common {
  readonly product: Product;
  readonly isFixed: boolean;
  readonly noEffect?: string | undefined;
  readonly caution?: string | undefined;
}

export function SwitchSetting({ name, product, isFixed, ...remarks }: Common & { name: Of<boolean> }) {
  const { save, question } = useChangeAfterQuestion(product);
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
  const { save, question } = useChangeAfterQuestion(product);
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

type NumberName =
  | "default_max_ips"
  | "default_expires_in_days"
  | "expiring_soon_days"
  | "portal_ip_removals_per_30_days"
  | "transfer_cooldown_days";

/** An empty field saves null, for settings that allow it. */
export function NumberSetting({
  name,
  product,
  isFixed,
  unit,
  empty,
  ...remarks
}: Common & { name: NumberName; unit?: string; empty?: string }) {
  const draft = useDraft(product, name);
  const written = draft.text ?? String(product[name] ?? "");
  const value = written === "" ? null : Number(written);
  const isReady = draft.text !== null && value !== product[name] && (value !== null || empty !== undefined);
  return (
    <Setting
      name={name}
      {...remarks}
      control={(described) => (
        <DraftForm draft={draft} typed={value} value={value} isReady={isReady} align="flex-start">
          <NumberInput
            className={classes.number ?? ""}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            disabled={isFixed}
            suffix={unit === undefined ? "" : ` ${unit}`}
            placeholder={empty ?? ""}
            value={written}
            onChange={(next) => draft.setText(String(next))}
            error={draft.error}
            {...inputDescribed(described, draft.error)}
          />
        </DraftForm>
      )}
    />
  );
}

type TextName = "name" | "license_email_text" | "renewal_url";

/** An empty field saves null, except for the name. */
export function TextSetting({
  name,
  product,
  isFixed,
  long = false,
  placeholder,
  ...remarks
}: Common & { name: TextName; long?: boolean; placeholder?: string }) {
  const draft = useDraft(product, name);
  const written = draft.text ?? product[name] ?? "";
  const value = written.trim() === "" && name !== "name" ? null : written;
  const isReady = draft.text !== null && value !== product[name];
  const Input = long ? Textarea : TextInput;
  return (
    <Setting
      name={name}
      {...remarks}
      kind="below"
      control={(described) => (
        <DraftForm draft={draft} typed={written} value={value} isReady={isReady} align="flex-end">
          <Input
            flex={1}
            maw="44rem"
            maxLength={name === "name" ? 100 : 2_000}
            disabled={isFixed}
            value={written}
            onChange={(event) => draft.setText(event.currentTarget.value)}
            error={draft.error}
            {...(placeholder === undefined ? {} : { placeholder })}
            {...(long ? { autosize: true, minRows: 3 } : {})}
            {...inputDescribed(described, draft.error)}
          />
        </DraftForm>
      )}
    />
  );
}

interface DraftFormProps {
  readonly draft: ReturnType<typeof useDraft>;
  /** The input, which is not discarded without asking. */
  readonly typed: string | number | null;
  /** What is saved. */
  readonly value: string | number | null;
  /** The input can be saved: only then there is a button. */
  readonly isReady: boolean;
  readonly align: "flex-start" | "flex-end";
  readonly children: ReactNode;
}

function DraftForm({ draft, typed, value, isReady, align, children }: DraftFormProps) {
  const { t } = useTranslation();
  return (
    <Form
      onSubmit={() => isReady && draft.save(value)}
      typed={isReady ? typed : null}
      base={null}
      error={draft.problem}
    >
      <Group gap="xs" wrap="nowrap" align={align}>
        {children}
        {isReady && (
          <Button type="submit" variant="light" loading={draft.isBusy}>
            {t("save")}
          </Button>
        )}
      </Group>
    </Form>
  );
}

/** Keeps the user's input until the server has accepted it. */
function useDraft(product: Product, name: NumberName | TextName) {
  const { t } = useTranslation("products");
  const { change, submit } = useProductChange(product);
  const [typed, setTyped] = useState<{ text: string; basis: Product[typeof name] } | null>(null);
  const { send, isBusy, error: problem, reset } = useSending();
  const save = (value: string | number | null) =>
    send(async () => {
      const before = product[name];
      if (typed !== null && typed.basis !== before) {
        // Someone else changed it first; the user can submit again.
        setTyped({ ...typed, basis: before });
        throw new Error(t("outdated"));
      }
      await submit({ [name]: value } as Changes);
      setTyped(null);
      notify(t("savedAs", { name: t(`setting.${name}.label`) }), () => change({ [name]: before } as Changes));
    });
  const text = typed?.text ?? null;
  return {
    text,
    setText: (next: string) => {
      setTyped((old) => ({ text: next, basis: old === null ? product[name] : old.basis }));
      // Showing the same text again does not clear the error.
      if (next !== text) reset();
    },
    save,
    isBusy,
    problem,
    // The field shows every error, because there is no other place for it.
    error: problem === null ? null : (fieldError(problem, name) ?? problem.message),
  };
}

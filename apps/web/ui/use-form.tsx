import { Alert, Button, Stack } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../api/problem.ts";
import { Icon } from "./icon.tsx";
import { notifyProblem } from "./notify.tsx";
import { ProblemAlert } from "./problem-alert.tsx";
import { useSending } from "./use-sending.ts";

/** What a field shows, and where its input goes. */
export interface Field<Value> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** Why the server refused it. */
  readonly error?: ReactNode;
}

interface FormOptions<Values> {
  /** The saved values, or those of a new form, by the names that the server gives the fields. */
  readonly start: Values;
  /** What it throws is shown in the form. */
  readonly send: (values: Values) => Promise<unknown>;
  /** Reads the saved values again, after someone else has changed them. */
  readonly reload?: () => Promise<Values>;
}

/**
 * The input of a form. Its fields are `<TextField {...form.field("name")} label=… />` and the like, in a `Form`,
 * `SaveForm` or `DialogForm` that gets `{...form.props}`. `FormProblem` shows what no field shows.
 */
export function useForm<Values extends object>({ start, send, reload }: FormOptions<Values>) {
  const [base, setBase] = useState(start);
  const [values, setValues] = useState(start);
  const [changedByBoth, setChangedByBoth] = useState<readonly string[] | null>(null);
  const sending = useSending();
  const { isBusy } = sending;
  /** The fields whose input was changed after the server had refused it. */
  const [corrected, setCorrected] = useState<ReadonlySet<string>>(noFields);
  const error = shownError(sending.error, corrected);
  const set = (changes: Partial<Values>) => {
    setValues((before) => ({ ...before, ...changes }));
    setCorrected((before) => new Set([...before, ...Object.keys(changes)]));
  };
  const submit = () =>
    sending.send(async () => {
      setCorrected(noFields);
      await send(values);
      setChangedByBoth(null);
      // Unless `restart` was called.
      setBase((before) => (before === base ? values : before));
    });
  /** Takes newer saved values, except where the user has changed them. Returns the names of those that both changed. */
  const rebase = (now: Values) => {
    const ours = changedNames(base, values);
    const theirs = changedNames(base, now);
    const merged: Values = { ...now };
    for (const name of ours) merged[name] = values[name];
    setValues(merged);
    setBase(now);
    return ours.filter((name) => theirs.includes(name));
  };
  return {
    values,
    base,
    error,
    isBusy,
    isChanged: changedNames(base, values).length > 0,
    set,
    /** After a change of what is sent besides the values. */
    clearError: sending.reset,
    field: <Name extends keyof Values & string>(name: Name): Field<Values[Name]> => ({
      value: values[name],
      onChange: (value) => set({ [name]: value } as unknown as Partial<Values>),
      error: corrected.has(name) ? null : errorWithin(error, name),
    }),
    submit,
    /** Starts again from other values, with nothing unsaved. */
    restart: (next: Values) => {
      setBase(next);
      setValues(next);
    },
    /** The names of the fields whose saved values were loaded again although the user had changed them. */
    changedByBoth,
    rebase,
    reload:
      reload &&
      (async () => {
        setChangedByBoth(rebase(await reload()));
        sending.reset();
      }),
    props: { onSubmit: submit, typed: values, base, error, isBusy },
  };
}

export type FormState<Values extends object> = ReturnType<typeof useForm<Values>>;

interface FormProblemProps {
  readonly form: Pick<FormState<object>, "error" | "values" | "reload" | "changedByBoth">;
  /** Further fields that show their own errors, besides those that are named as in `values`. */
  readonly beside?: readonly string[];
  /** The names of fields for users, to say which ones were changed by both. */
  readonly nameOf?: (field: string) => string;
}

/** Why the server refused a form. If someone else saved first, their version can be loaded without losing the input. */
export function FormProblem({ form, beside = [], nameOf }: FormProblemProps) {
  const { t } = useTranslation();
  const { error, reload, changedByBoth } = form;
  const fields = [...Object.keys(form.values), ...beside];
  if (reload !== undefined && error instanceof ApiProblem && error.code === "changed_meanwhile")
    return <ChangedMeanwhile onReload={reload} />;
  return (
    <>
      <ProblemAlert
        error={error}
        beside={errorsOf(error).flatMap(({ field }) =>
          fields.some((name) => isWithin(field, name)) ? field : [],
        )}
      />
      {changedByBoth !== null && (
        <Alert role="status" icon={<Icon name="info" />}>
          {t("changedMeanwhile.loaded")}{" "}
          {nameOf !== undefined &&
            changedByBoth.length > 0 &&
            t("changedMeanwhile.both", { fields: changedByBoth.map(nameOf).join(", ") })}
        </Alert>
      )}
    </>
  );
}

const noFields: ReadonlySet<string> = new Set();

/** What is wrong with fields is shown at these. Anything else is about input that has been changed since. */
function shownError(error: Error | null, corrected: ReadonlySet<string>): Error | null {
  const isAboutFields = errorsOf(error).length > 0;
  const waitsForReload = error instanceof ApiProblem && error.code === "changed_meanwhile";
  return corrected.size > 0 && !isAboutFields && !waitsForReload ? null : error;
}

/** The error of a field. It can name a part of it, such as `custom_override.tier`. */
function errorWithin(error: Error | null, field: string): string | null {
  const fieldError = errorsOf(error).find((one) => isWithin(one.field, field));
  return (fieldError?.field === field ? fieldError.message : fieldError?.withName) ?? null;
}

function errorsOf(error: Error | null) {
  return error instanceof ApiProblem ? error.errors : [];
}

function isWithin(name: string, field: string): boolean {
  return name === field || name.startsWith(`${field}.`);
}

function changedNames<Values extends object>(base: Values, values: Values): (keyof Values & string)[] {
  const names: (keyof Values & string)[] = [];
  for (const name in values)
    if (JSON.stringify(values[name]) !== JSON.stringify(base[name])) names.push(name);
  return names;
}

/** Someone else saved first: nothing was saved, and their version can be loaded without losing the user's edits. */
function ChangedMeanwhile({ onReload }: { readonly onReload: () => Promise<unknown> }) {
  const { t } = useTranslation();
  return (
    <Alert color="orange" role="alert" title={t("changedMeanwhile.title")} icon={<Icon name="warning" />}>
      <Stack gap="xs" align="flex-start">
        {t("changedMeanwhile.words")}
        <Button size="xs" variant="default" onClick={() => onReload().catch(notifyProblem)}>
          {t("changedMeanwhile.reload")}
        </Button>
      </Stack>
    </Alert>
  );
}

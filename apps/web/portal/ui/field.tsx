import { type InputHTMLAttributes, type Ref, type TextareaHTMLAttributes, useId } from "react";
import { ApiProblem } from "../../api/problem.ts";
import classes from "./field.module.css";

interface Frame {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | null | undefined;
}

interface FieldProps extends Frame, InputHTMLAttributes<HTMLInputElement> {
  readonly ref?: Ref<HTMLInputElement>;
}

/** An input with its label, a hint, and what is wrong with it. */
export function Field({ label, hint, error, ...input }: FieldProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <input
        {...input}
        id={id}
        className={classes.input}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
      />
    </Labelled>
  );
}

interface AreaProps extends Frame, TextareaHTMLAttributes<HTMLTextAreaElement> {}

export function TextArea({ label, hint, error, ...area }: AreaProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <textarea
        {...area}
        id={id}
        className={classes.input}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
      />
    </Labelled>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  readonly onChoose: (value: Value) => void;
}

export function Choice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <Labelled id={id} label={label}>
      <select
        id={id}
        className={classes.input}
        value={value}
        onChange={(event) => onChoose(event.target.value as Value)}
      >
        {Object.entries<string>(options).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface LabelledProps extends Frame {
  readonly id: string;
  readonly children: React.ReactNode;
}

function Labelled({ id, label, hint, error, children }: LabelledProps) {
  return (
    <div className={classes.field}>
      <label htmlFor={id} className={classes.label}>
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <p id={`${id}-hint`} className={classes.hint}>
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className={classes.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

function describedBy(id: string, hint: string | undefined, error: string | null | undefined) {
  const ids = [error ? `${id}-error` : "", hint === undefined ? "" : `${id}-hint`].filter(
    (part) => part !== "",
  );
  return ids.length === 0 ? undefined : ids.join(" ");
}

/** What the server says about one field, to be shown beside it. */
export function fieldProblem(error: Error | null, field: string): string | null {
  return error instanceof ApiProblem ? error.of(field) : null;
}

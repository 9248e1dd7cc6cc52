import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { showFirstProblem } from "./first-problem.ts";
import { useTyped } from "./unsaved.ts";

export interface FormProps {
  /** Returns false when nothing was sent. */
  readonly onSubmit: () => unknown;
  /** All that somebody can type here; it is guarded. Null where nothing is worth to be kept, as with a lone password. */
  readonly typed: unknown;
  /** What it is compared with: what the server has. Without it, what was there first. */
  readonly base?: unknown;
  /** Why the server refused: its first field is shown. */
  readonly error: Error | null;
  readonly goesWithSearch?: boolean;
  readonly className?: string | undefined;
  readonly noValidate?: boolean;
  readonly children: ReactNode;
}

/** Every form: a refusal leads to the first wrong field, and what was typed is not lost unasked. */
export function Form(props: FormProps) {
  const { onSubmit, typed, base, error, goesWithSearch = false, className, noValidate, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const { sent, refused } = useTyped(typed, base, { goesWithSearch });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal once.
  useEffect(() => {
    if (error === null) return;
    refused();
    if (form.current !== null) showFirstProblem(form.current);
  }, [error]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // One of a dialog that opened from inside this one.
    if (event.target !== event.currentTarget) return;
    const unreadable = event.currentTarget.querySelector("[data-unreadable]");
    if (unreadable !== null) {
      showFirstProblem(event.currentTarget, "[data-unreadable]");
      return;
    }
    sent();
    if (onSubmit() === false) refused();
  };
  return (
    <form
      ref={form}
      onSubmit={submit}
      {...(className === undefined ? {} : { className })}
      {...(noValidate === undefined ? {} : { noValidate })}
    >
      {children}
    </form>
  );
}

import { type FormEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { showFirstProblem } from "./first-problem.ts";
import { useUnsavedInput } from "./unsaved.ts";

export interface FormProps {
  /** Returns false if nothing was sent. */
  readonly onSubmit: () => unknown;
  /** All input, which is guarded. Null where nothing is worth keeping, as with a single password field. */
  readonly typed: unknown;
  /** What the input is compared with: the saved values. By default, the initial input. */
  readonly base?: unknown;
  /** Why the server refused: the first invalid field is focused. */
  readonly error: Error | null;
  /** For input that is sent after a confirmation, when `onSubmit` has returned false: whether it is being sent, or was. */
  readonly isSent?: boolean;
  readonly goesWithSearch?: boolean;
  readonly className?: string | undefined;
  readonly noValidate?: boolean;
  readonly children: ReactNode;
}

/** Every form: a refusal focuses the first invalid field, and input is not discarded without asking. */
export function Form(props: FormProps) {
  const { onSubmit, typed, base, error, isSent, className, noValidate, children } = props;
  const { goesWithSearch = false } = props;
  const form = useRef<HTMLFormElement>(null);
  const { sent, refused } = useUnsavedInput(typed, base, { goesWithSearch });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per refusal.
  useEffect(() => {
    if (error === null) return;
    refused();
    if (form.current !== null) showFirstProblem(form.current);
  }, [error]);
  // Before the page can change because it was saved.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per change.
  useLayoutEffect(() => {
    if (isSent === true) sent();
    if (isSent === false) refused();
  }, [isSent]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // From a dialog that was opened inside this form.
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

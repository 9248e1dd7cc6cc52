import { Button, Group, Stack } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import classes from "./form.module.css";
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

interface SaveFormProps extends Pick<FormProps, "onSubmit" | "typed" | "error"> {
  readonly isBusy: boolean;
  /** The saved values, in the same form as `typed`. */
  readonly base: unknown;
  readonly children: ReactNode;
}

/** A panel of settings that are saved together. */
export function SaveForm({ isBusy, children, ...form }: SaveFormProps) {
  const { t } = useTranslation();
  const isChanged = JSON.stringify(form.typed) !== JSON.stringify(form.base);
  return (
    <Form {...form}>
      <Stack>
        {children}
        <Group>
          <Button type="submit" loading={isBusy} disabled={!isChanged}>
            {t("save")}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

/** How long a collapsed part of a form can take to open. */
const patienceMs = 1_000;

const wrongField = '[aria-invalid="true"], [data-error="true"]';

/** Scrolls to the first invalid field of a form and focuses it; without one, the error message. */
function showFirstProblem(form: HTMLElement, selector: string = wrongField): void {
  const until = performance.now() + patienceMs;
  let last = Number.NaN;
  const look = () => {
    const target =
      form.querySelector<HTMLElement>(selector) ?? form.querySelector<HTMLElement>('[role="alert"]');
    if (target === null) return;
    const { top, height } = target.getBoundingClientRect();
    // It may be in a part that is just opening: wait until its position is stable.
    if ((height === 0 || top !== last) && performance.now() < until) {
      last = height === 0 ? Number.NaN : top;
      requestAnimationFrame(look);
      return;
    }
    target.scrollIntoView({ block: "center" });
    focusable(target)?.focus({ preventScroll: true });
  };
  look();
}

function focusable(element: HTMLElement): HTMLElement | null {
  const fields = "input, textarea, select, button";
  return element.matches(fields) ? element : element.querySelector<HTMLElement>(fields);
}

/** Keeps the save button of a long form visible while scrolling. */
export function StickyBar({ shown, children }: { shown: boolean; children: ReactNode }) {
  return shown ? <div className={classes.bar}>{children}</div> : null;
}

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog, useCloseDialog } from "./dialog.tsx";
import { Form } from "./form.tsx";
import { ProblemAlert } from "./problem-alert.tsx";
import { useSending } from "./use-sending.ts";

/** What is asked before an important action. */
interface Question {
  readonly title: string;
  /** What will happen, in a sentence or two, and further fields if needed. */
  readonly children: ReactNode;
  /** The label of the button: the action itself, never "OK". */
  readonly action: string;
  readonly onConfirm: () => Promise<unknown>;
  /** For actions that cannot be undone: the text to type first. */
  readonly typed?: string;
  /** The input of further fields, which is not discarded without asking. */
  readonly draft?: unknown;
  readonly harmless?: boolean;
  /** Nothing to do, or input is missing. */
  readonly isIdle?: boolean;
}

interface ConfirmProps extends Question {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/**
 * A question, about what `ask` is called with: `const removal = useConfirm((member: Member) => ({ title, … }))`, then
 * `removal.ask(member)` in a button, and `removal.dialog` in the page.
 */
export function useConfirm<Subject extends readonly unknown[]>(question: (...about: Subject) => Question) {
  // Kept while the dialog fades out.
  const [about, setAbout] = useState<Subject | null>(null);
  const [opened, setOpened] = useState(false);
  const ask = (...subject: Subject) => {
    setAbout(subject);
    setOpened(true);
  };
  const close = () => setOpened(false);
  const asked = about === null ? nothingAsked : question(...about);
  return { ask, isOpen: opened, dialog: <Confirm {...asked} opened={opened} onClose={close} /> };
}

/** A dialog that starts open could not return the focus, so there is one before the first question. */
const nothingAsked: Question = { title: "", children: null, action: "", onConfirm: async () => {} };

/** Asks before an important action, and stays open with the reason if the server refuses. */
export function Confirm(props: ConfirmProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={props.title}>
      {/* Reset each time it opens. */}
      {props.opened && <QuestionForm {...props} />}
    </Dialog>
  );
}

function QuestionForm(props: ConfirmProps) {
  const {
    onClose,
    children,
    action,
    onConfirm,
    typed,
    draft = null,
    harmless = false,
    isIdle = false,
  } = props;
  const { t } = useTranslation();
  const cancel = useCloseDialog();
  const [typedName, setTypedName] = useState("");
  const { send, error, isBusy } = useSending();
  const confirm = () => send(() => onConfirm().then(onClose));
  return (
    <Form onSubmit={confirm} typed={draft} error={error}>
      <Stack>
        {typeof children === "string" ? <Text>{children}</Text> : children}
        <ProblemAlert error={error} />
        {typed !== undefined && (
          <TextInput
            label={t("confirm.type", { words: typed })}
            value={typedName}
            onChange={(event) => setTypedName(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        <Group justify="flex-end" gap="xs">
          {/* Enter, pressed once too often, must not do what cannot be undone. */}
          <Button
            variant="default"
            onClick={cancel}
            data-autofocus={(typed === undefined && !harmless) || undefined}
          >
            {t("cancel")}
          </Button>
          <Button
            type="submit"
            color={harmless ? "verdigris" : "red"}
            loading={isBusy}
            disabled={isIdle || (typed !== undefined && typedName !== typed)}
            data-autofocus={(typed === undefined && harmless) || undefined}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

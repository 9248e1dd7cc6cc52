import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog, useCloseDialog } from "./dialog.tsx";
import { Form } from "./form.tsx";
import { ProblemAlert } from "./problem-alert.tsx";

interface ConfirmProps {
  readonly opened: boolean;
  readonly onClose: () => void;
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

/** Asks before an important action, and stays open with the reason if the server refuses. */
export function Confirm(props: ConfirmProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={props.title}>
      {/* Reset each time it opens. */}
      {props.opened && <Question {...props} />}
    </Dialog>
  );
}

function Question({
  onClose,
  children,
  action,
  onConfirm,
  typed,
  draft = null,
  harmless = false,
  isIdle = false,
}: ConfirmProps) {
  const { t } = useTranslation();
  const cancel = useCloseDialog();
  const [words, setWords] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (problem) {
      setError(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Form onSubmit={confirm} typed={draft} error={error}>
      <Stack>
        {typeof children === "string" ? <Text>{children}</Text> : children}
        <ProblemAlert error={error} />
        {typed !== undefined && (
          <TextInput
            label={t("confirm.type", { words: typed })}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={cancel}>
            {t("cancel")}
          </Button>
          <Button
            type="submit"
            color={harmless ? "verdigris" : "red"}
            loading={isBusy}
            disabled={isIdle || (typed !== undefined && words !== typed)}
            data-autofocus={typed === undefined || undefined}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

import { Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useCloseDialog } from "./dialog.tsx";
import { Form, type FormProps } from "./form.tsx";

interface DialogFormProps
  extends Pick<FormProps, "onSubmit" | "typed" | "base" | "error" | "isSent" | "noValidate"> {
  readonly isBusy: boolean;
  /** The label of the button: the action itself, never "OK". */
  readonly action: string;
  readonly isDisabled?: boolean;
  /** The action removes something. */
  readonly isRemoval?: boolean;
  /** Left of the buttons. */
  readonly note?: ReactNode;
  /** What gets the initial focus if no field does. */
  readonly isActionFirst?: boolean;
  readonly children: ReactNode;
}

/** A form in a `Dialog`: its fields, and below them Cancel and the action. */
export function DialogForm(props: DialogFormProps) {
  const {
    isBusy,
    action,
    isDisabled = false,
    isRemoval = false,
    note,
    isActionFirst = false,
    ...rest
  } = props;
  const { children, ...form } = rest;
  const { t } = useTranslation();
  const close = useCloseDialog();
  return (
    <Form {...form}>
      <Stack>
        {children}
        <Group justify={note === undefined ? "flex-end" : "space-between"} gap="xs">
          {note}
          <Group gap="xs">
            <Button variant="default" onClick={close}>
              {t("cancel")}
            </Button>
            <Button
              type="submit"
              loading={isBusy}
              disabled={isDisabled}
              data-autofocus={isActionFirst || undefined}
              {...(isRemoval ? { color: "red" } : {})}
            >
              {action}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Form>
  );
}

import { Button, Drawer, type DrawerProps, Group, Modal, type ModalProps, Stack } from "@mantine/core";
import { type ReactNode, useContext, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Form, type FormProps } from "./form.tsx";
import { closeAfterAsking, DialogContext, type Guard } from "./unsaved.ts";

/** A dialog with a form: Escape, a click outside and its buttons ask before they discard input. */
export function Dialog({ onClose, children, ...rest }: ModalProps) {
  const dialog = useDialog(onClose);
  return (
    <Modal {...rest} onClose={dialog.close}>
      <DialogContext value={dialog}>{children}</DialogContext>
    </Modal>
  );
}

/** The same as a drawer. */
export function SideDialog({ onClose, children, ...rest }: DrawerProps) {
  const dialog = useDialog(onClose);
  return (
    <Drawer {...rest} onClose={dialog.close}>
      <DialogContext value={dialog}>{children}</DialogContext>
    </Drawer>
  );
}

/** For a button that closes the surrounding dialog, like its close button. */
export function useCloseDialog(): () => void {
  const dialog = useContext(DialogContext);
  if (dialog === null) throw new Error("There is no dialog around it.");
  return dialog.close;
}

function useDialog(onClose: () => void) {
  const latest = useRef(onClose);
  latest.current = onClose;
  return useMemo(() => {
    const guards = new Set<Guard>();
    return { guards, close: () => void closeAfterAsking(guards, () => latest.current()) };
  }, []);
}

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

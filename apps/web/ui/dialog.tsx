import { Drawer, type DrawerProps, Modal, type ModalProps } from "@mantine/core";
import { useContext, useMemo, useRef } from "react";
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

import { Drawer, type DrawerProps, Modal, type ModalProps } from "@mantine/core";
import { useContext, useMemo, useRef } from "react";
import { closeAfterAsking } from "./ask-to-leave.ts";
import { DialogContext, type Guard } from "./unsaved.ts";

/** A window with a form in it: Escape, a click outside and its buttons ask before they close it over what was typed. */
export function Dialog({ onClose, children, ...rest }: ModalProps) {
  const dialog = useDialog(onClose);
  return (
    <Modal {...rest} onClose={dialog.close}>
      <DialogContext value={dialog}>{children}</DialogContext>
    </Modal>
  );
}

/** The same at the side of the page. */
export function SideDialog({ onClose, children, ...rest }: DrawerProps) {
  const dialog = useDialog(onClose);
  return (
    <Drawer {...rest} onClose={dialog.close}>
      <DialogContext value={dialog}>{children}</DialogContext>
    </Drawer>
  );
}

/** For a button that closes the dialog around it, as its corner does. */
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

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button.tsx";
import classes from "./dialog.module.css";
import { Trouble } from "./notice.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog. The browser keeps the focus inside, and gives it back when the dialog closes. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // Closed before it is removed, because only then does the opener get the focus back.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={classes.dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id} className={classes.title}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  readonly label: string;
  readonly isDangerous?: boolean;
  readonly run: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone, and reports why it failed. */
export function Confirm({ title, children, label, isDangerous = true, run, onDone, onClose }: ConfirmProps) {
  const { t } = useTranslation("portal");
  const action = useMutation({ mutationFn: run, onSuccess: onDone });
  return (
    <Dialog title={title} onClose={onClose}>
      <div className={classes.content}>
        {children}
        <Trouble error={action.error} />
        <div className={classes.actions}>
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button
            look={isDangerous ? "danger" : "filled"}
            isBusy={action.isPending}
            onClick={() => action.mutate()}
          >
            {label}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

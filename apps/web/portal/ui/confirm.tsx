import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button.tsx";
import classes from "./dialog.module.css";
import { Dialog } from "./dialog.tsx";
import { Trouble } from "./notice.tsx";

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

import type { ButtonHTMLAttributes } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "../../ui/copy-text.ts";
import { Link } from "../base/router.tsx";
import { announce } from "./announce.tsx";
import classes from "./button.module.css";

type Look = "filled" | "outlined" | "quiet" | "danger";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look;
  /** While it is true, the button keeps the focus but does nothing. */
  readonly isBusy?: boolean;
  readonly isSmall?: boolean;
}

export function Button({
  look = "outlined",
  isBusy = false,
  isSmall = false,
  type = "button",
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={classes.button}
      data-look={look}
      data-small={isSmall || undefined}
      aria-disabled={isBusy || undefined}
      data-busy={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}

interface ButtonLinkProps {
  readonly to: string;
  readonly look?: Look;
  readonly children: React.ReactNode;
}

export function ButtonLink({ to, look = "outlined", children }: ButtonLinkProps) {
  return (
    <Link to={to} className={classes.button} data-look={look}>
      {children}
    </Link>
  );
}

interface CopyProps {
  readonly text: string;
  /** What is copied, such as "license key". */
  readonly label: string;
}

export function Copy({ text, label }: CopyProps) {
  const { t } = useTranslation("portal");
  const copy = async () => {
    announce((await copyText(text)) ? t("copied") : t("copyFailed"));
  };
  return (
    <Button isSmall aria-label={label} onClick={() => void copy()}>
      {t("copy")}
    </Button>
  );
}

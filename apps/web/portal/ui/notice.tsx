import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem, Unreachable } from "../../api/problem.ts";
import classes from "./notice.module.css";

export type Tone = "neutral" | "good" | "warning" | "danger";

interface NoticeProps {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children?: ReactNode;
}

export function Notice({ tone = "neutral", title, children }: NoticeProps) {
  return (
    <div className={classes.notice} data-tone={tone}>
      {title !== undefined && <p className={classes.title}>{title}</p>}
      {children}
    </div>
  );
}

/** Why a request failed. Nothing if it did not. */
export function Trouble({ error }: { readonly error: Error | null }) {
  const text = useErrorText();
  return (
    <div role="alert" className={classes.trouble}>
      {error !== null && (
        <Notice tone="danger">
          <p>{text(error)}</p>
        </Notice>
      )}
    </div>
  );
}

/** Discord sends people back with a reason if it did not work. */
export function DiscordFailure({ textOf }: { readonly textOf: (reason: string) => string }) {
  const reason = new URLSearchParams(window.location.search).get("error");
  if (reason === null) return null;
  return (
    <div role="alert">
      <Notice tone="danger">
        <p>{textOf(reason)}</p>
      </Notice>
    </div>
  );
}

export function useErrorText(): (error: Error) => string {
  const { t } = useTranslation("portal");
  return (error) => {
    if (error instanceof Unreachable) return t("offline.text");
    // The server's own text is for its operator.
    const isBroken = !(error instanceof ApiProblem) || error.code === "internal_error";
    return isBroken ? t("broken.text") : error.message;
  };
}

/** A state in a word or two. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span className={classes.badge} data-tone={tone}>
      {children}
    </span>
  );
}

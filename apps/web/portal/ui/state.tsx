import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem, Unreachable } from "../../api/problem.ts";
import { Button } from "./button.tsx";
import { Notice, useErrorText } from "./notice.tsx";
import classes from "./state.module.css";

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
  /** Instead of the usual text if the server knows no such thing. */
  readonly missing?: ReactNode;
}

/** What a query brought; until then a placeholder, or why it failed and a way to try again. */
export function Loaded<Data>({ query, children, missing }: LoadedProps<Data>) {
  if (query.data !== undefined)
    return (
      <>
        {query.isRefetchError && <Failed error={query.error} again={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  if (query.error === null) return <Loading />;
  if (missing !== undefined && query.error instanceof ApiProblem && query.error.status === 404)
    return missing;
  return <Failed error={query.error} again={() => void query.refetch()} />;
}

export function Loading() {
  const { t } = useTranslation("portal");
  return (
    <div className={classes.loading} aria-busy="true">
      <p role="status" className="visuallyHidden">
        {t("loading")}
      </p>
      <div className={classes.bar} />
      <div className={classes.bar} />
      <div className={classes.bar} />
    </div>
  );
}

export function Failed({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const { t } = useTranslation("portal");
  const text = useErrorText();
  const isOffline = error instanceof Unreachable;
  return (
    <div role="alert">
      <Notice tone={isOffline ? "warning" : "danger"} title={t(isOffline ? "offline.title" : "broken.title")}>
        <p>{text(error)}</p>
        <div>
          <Button onClick={again}>{t("tryAgain")}</Button>
        </div>
      </Notice>
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className={classes.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

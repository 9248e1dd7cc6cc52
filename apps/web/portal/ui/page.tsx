import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useBrand } from "../base/brand.tsx";
import { hasChangedPage } from "../base/router.tsx";
import classes from "./page.module.css";

interface PageProps {
  readonly title: string;
  /** Shown beside the title. */
  readonly mark?: ReactNode;
  /** Shown above the title, such as a way back. */
  readonly above?: ReactNode;
  readonly below?: ReactNode;
  readonly children: ReactNode;
}

/** The heading gets the focus when a person comes here from another page, so that screen readers start there. */
export function Page({ title, mark, above, below, children }: PageProps) {
  const { t } = useTranslation("portal");
  const site = useBrand()?.name ?? t("name");
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${site}`;
  }, [title, site]);
  useEffect(() => {
    if (hasChangedPage()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={classes.page}>
      <div className={classes.top}>
        {above}
        <div className={classes.heading}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {mark}
        </div>
        {below}
      </div>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly id?: string;
  readonly title: string;
  readonly mark?: ReactNode;
  readonly children: ReactNode;
}

/** A card with a heading. The heading can get the focus when what had it has gone. */
export function Section({ id, title, mark, children }: SectionProps) {
  return (
    <section className={classes.section}>
      <div className={classes.heading}>
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {mark}
      </div>
      {children}
    </section>
  );
}

export function focusOn(id: string): void {
  document.getElementById(id)?.focus();
}

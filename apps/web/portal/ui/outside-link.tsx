import { useTranslation } from "react-i18next";
import { safeUrl } from "../base/safe-url.ts";
import classes from "./outside-link.module.css";

interface OutsideLinkProps {
  readonly url: string;
  readonly children: string;
}

/** A link that a seller entered. It shows where it leads, and is plain text if it leads to something unsafe. */
export function OutsideLink({ url, children }: OutsideLinkProps) {
  const { t } = useTranslation("portal");
  const safe = safeUrl(url);
  if (safe === null) return <span>{children}</span>;
  const isPage = !safe.href.startsWith("mailto:");
  return (
    <span className={classes.place}>
      <a
        href={safe.href}
        rel="noopener noreferrer nofollow"
        {...(isPage ? { target: "_blank", "aria-label": `${children} (${safe.host}, ${t("newTab")})` } : {})}
      >
        {children}
      </a>
      {safe.host !== children && <span className={classes.host}>{safe.host}</span>}
    </span>
  );
}

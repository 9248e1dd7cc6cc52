import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Me } from "../base/api.ts";
import { useBrand } from "../base/brand.tsx";
import { type PageName, pathOf } from "../base/pages.ts";
import { Link, usePath } from "../base/router.tsx";
import { LanguageChoice } from "./language-choice.tsx";
import classes from "./layout.module.css";
import { SellerLinks, SellerMark } from "./seller.tsx";

const places = ["licenses", "transfers", "account"] as const satisfies readonly PageName[];

/** The frame of every page: the seller's name, the way to the other pages, and support. */
export function Layout({ me, children }: { readonly me: Me | null; readonly children: ReactNode }) {
  const { t } = useTranslation("portal");
  const brand = useBrand();
  // The sign-in page is where people look whether they are in the right place.
  const isLarge = me === null && brand !== null;
  return (
    <>
      <a href="#content" className={classes.skip}>
        {t("skipToContent")}
      </a>
      <header className={classes.header} data-large={isLarge || undefined}>
        <div className={classes.bar}>
          <Link to={pathOf("licenses")} className={classes.brand}>
            {brand === null ? <KeyMark /> : <SellerMark seller={brand} isLarge={isLarge} />}
            <span className={classes.name}>{brand?.name ?? t("name")}</span>
          </Link>
          {me !== null && <Navigation />}
        </div>
      </header>
      <main id="content" className={classes.main} tabIndex={-1}>
        {children}
      </main>
      {me === null && (
        <footer className={classes.footer}>
          <div className={classes.footerBar}>
            {brand !== null && (
              <SellerLinks
                seller={brand}
                className={classes.links}
                aria-label={t("support.linksOf", { seller: brand.name })}
              />
            )}
            <LanguageChoice />
          </div>
        </footer>
      )}
    </>
  );
}

function Navigation() {
  const { t } = useTranslation("portal");
  const path = usePath();
  return (
    <nav aria-label={t("navigation")} className={classes.navigation}>
      {places.map((name) => {
        const to = pathOf(name);
        const isHere = path === to || (name === "licenses" && path.startsWith("/licenses/"));
        return (
          <Link key={name} to={to} aria-current={isHere ? "page" : undefined} className={classes.place}>
            {t(`places.${name}`)}
          </Link>
        );
      })}
    </nav>
  );
}

function KeyMark() {
  return (
    <svg width="32" height="32" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <g fill="none" stroke="var(--on-accent)" strokeWidth="2.5" strokeLinecap="round">
        <circle cx="11.5" cy="16" r="4" />
        <path d="M15.5 16H25m-3.5 0v4" />
      </g>
    </svg>
  );
}

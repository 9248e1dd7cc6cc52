import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Seller } from "../base/api.ts";
import { mailto, safeUrl } from "../base/safe-url.ts";
import classes from "./seller.module.css";

interface SellerMarkProps {
  readonly seller: Pick<Seller, "name" | "logo_url">;
  readonly isLarge?: boolean;
}

/** A seller's logo, or the first letter of its name. Its name is beside it, so it needs no description. */
export function SellerMark({ seller, isLarge = false }: SellerMarkProps) {
  const [isBroken, setBroken] = useState(false);
  const logo = seller.logo_url;
  if (logo === null || !/^\/(?!\/)/.test(logo) || isBroken)
    return (
      <span className={classes.letter} data-large={isLarge || undefined} aria-hidden="true">
        {[...seller.name.trim()][0]?.toUpperCase() ?? "?"}
      </span>
    );
  return (
    <span className={classes.frame} data-large={isLarge || undefined}>
      <img src={logo} alt="" className={classes.logo} onError={() => setBroken(true)} />
    </span>
  );
}

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

/** How to reach a seller: the email address, then the support page. */
export function SupportLinks({ seller }: { readonly seller: Seller }) {
  const links = useSupportLinks(seller);
  return links.length === 0 ? null : <span className={classes.support}>{links}</span>;
}

interface SellerLinksProps {
  readonly seller: Seller;
  readonly className: string | undefined;
  readonly "aria-label"?: string;
}

/** The same and the seller's other links, as a list. */
export function SellerLinks({ seller, ...rest }: SellerLinksProps) {
  const links = [
    ...useSupportLinks(seller),
    ...seller.links.map(({ title, url }) => (
      <OutsideLink key={`${title} ${url}`} url={url}>
        {title}
      </OutsideLink>
    )),
  ];
  return (
    <ul {...rest}>
      {links.map((link) => (
        <li key={link.key}>{link}</li>
      ))}
    </ul>
  );
}

function useSupportLinks({ support_email: email, support_url: url }: Seller) {
  const { t } = useTranslation("portal");
  const links = [];
  if (email !== null)
    links.push(
      <OutsideLink key="email" url={mailto(email)}>
        {email}
      </OutsideLink>,
    );
  if (url !== null)
    links.push(
      <OutsideLink key="page" url={url}>
        {t("support.page")}
      </OutsideLink>,
    );
  return links;
}

import { useTranslation } from "react-i18next";
import type { Seller } from "../base/api.ts";
import { mailto } from "../base/safe-url.ts";
import { OutsideLink } from "./outside-link.tsx";
import classes from "./support-links.module.css";

/** How to reach a seller: the email address, then the support page. */
export function SupportLinks({ seller }: { readonly seller: Seller }) {
  const { t } = useTranslation("portal");
  const { support_email: email, support_url: url } = seller;
  if (email === null && url === null) return null;
  return (
    <span className={classes.links}>
      {email !== null && <OutsideLink url={mailto(email)}>{email}</OutsideLink>}
      {url !== null && <OutsideLink url={url}>{t("support.page")}</OutsideLink>}
    </span>
  );
}

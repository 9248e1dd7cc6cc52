import { useTranslation } from "react-i18next";
import type { Seller } from "../base/api.ts";
import { mailto } from "../base/safe-url.ts";
import { OutsideLink } from "../ui/outside-link.tsx";
import { Section } from "../ui/page.tsx";
import classes from "./license.module.css";

export function SupportSection({ seller }: { readonly seller: Seller }) {
  const { t } = useTranslation("portal");
  const { support_email: email, support_url: url, links } = seller;
  if (email === null && url === null && links.length === 0) return null;
  return (
    <Section title={t("support.title")}>
      <p>{t("support.text", { seller: seller.name })}</p>
      <ul className={classes.links}>
        {email !== null && (
          <li>
            <OutsideLink url={mailto(email)}>{email}</OutsideLink>
          </li>
        )}
        {url !== null && (
          <li>
            <OutsideLink url={url}>{t("support.page")}</OutsideLink>
          </li>
        )}
        {links.map((link) => (
          <li key={`${link.title} ${link.url}`}>
            <OutsideLink url={link.url}>{link.title}</OutsideLink>
          </li>
        ))}
      </ul>
    </Section>
  );
}

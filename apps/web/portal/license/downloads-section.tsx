import { useTranslation } from "react-i18next";
import type { License } from "../base/api.ts";
import { Copy } from "../ui/copy.tsx";
import { OutsideLink } from "../ui/outside-link.tsx";
import { Section } from "../ui/page.tsx";
import classes from "./license.module.css";

export function DownloadsSection({ license }: { readonly license: License }) {
  const { t } = useTranslation("portal");
  if (license.downloads.length === 0) return null;
  return (
    <Section title={t("downloads.title")}>
      <ul className={classes.list}>
        {license.downloads.map((download) => (
          <li key={download.id} className={classes.rowText}>
            <OutsideLink url={download.url}>{download.title}</OutsideLink>
            {download.min_version !== null && (
              <p className="small dimmed">{t("downloads.version", { version: download.min_version })}</p>
            )}
            {download.checksum !== null && (
              <div className={classes.checksum}>
                <p className="small dimmed">
                  {t("downloads.checksum")} <span className="mono">{download.checksum}</span>
                </p>
                <Copy
                  text={download.checksum}
                  label={t("downloads.copyChecksum", { title: download.title })}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

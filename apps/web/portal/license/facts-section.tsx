import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { browserTimeZone } from "../../i18n/shown-time-zone.ts";
import { call, type License } from "../base/api.ts";
import { licenseChanged } from "../base/queries.ts";
import { expiryOf, shownStatus } from "../licenses/license.ts";
import { useExpiryText } from "../licenses/license-list.tsx";
import { announce } from "../ui/announce.tsx";
import { Button, Copy } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { Trouble } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { OutsideLink } from "../ui/seller.tsx";
import { Day } from "../ui/time.tsx";
import classes from "./license.module.css";

export function FactsSection({ license }: { readonly license: License }) {
  const { t } = useTranslation("portal");
  const expiryText = useExpiryText()(license);
  const versionText = useVersionText();
  const expiry = expiryOf(license, browserTimeZone());
  const isSoon = expiry?.kind === "ahead" && expiry.isSoon;
  return (
    <Section title={t("license.facts")}>
      <dl className={classes.facts}>
        <div>
          <dt>{t("license.status")}</dt>
          <dd>{t(`status.${shownStatus(license)}.text`)}</dd>
        </div>
        {expiryText !== null && (
          <div>
            <dt>{t("expiry.label")}</dt>
            <dd data-soon={isSoon || undefined}>{expiryText}</dd>
            {license.renewal_url !== null && (
              <dd>
                <OutsideLink url={license.renewal_url}>{t("expiry.renew")}</OutsideLink>
              </dd>
            )}
          </div>
        )}
        <KeyFact license={license} />
        <div>
          <dt>{t("versions.label")}</dt>
          <dd>{versionText(license.versions)}</dd>
          {license.versions?.newest != null && (
            <dd className="small dimmed">{t("versions.newest", { version: license.versions.newest })}</dd>
          )}
        </div>
        <div>
          <dt>{t("license.since")}</dt>
          <dd>
            <Day at={license.created_at} />
          </dd>
        </div>
      </dl>
    </Section>
  );
}

/** Hidden until asked for: the page may be on a screen that others see. */
function KeyFact({ license }: { readonly license: License }) {
  const { t } = useTranslation("portal");
  const params = { license_id: license.id };
  const [key, setKey] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const reveal = useMutation({
    mutationFn: () => call("revealPortalKey", { params }),
    onSuccess: ({ license_key }) => setKey(license_key),
  });
  const rotate = async () => {
    const { license_key, ...changed } = await call("rotatePortalKey", { params });
    licenseChanged(changed);
    setKey(license_key);
  };
  return (
    <div className={classes.key}>
      <dt>{t("key.label")}</dt>
      <dd className={classes.keyText}>{key ?? license.license_key_hint}</dd>
      <dd className={classes.actions}>
        {key === null ? (
          <Button isSmall isBusy={reveal.isPending} onClick={() => reveal.mutate()}>
            {t("key.show")}
          </Button>
        ) : (
          <>
            <Copy text={key} label={t("key.copy")} />
            <Button isSmall onClick={() => setKey(null)}>
              {t("key.hide")}
            </Button>
          </>
        )}
        {license.self_service.can_rotate_key && (
          <Button isSmall onClick={() => setAsking(true)}>
            {t("key.rotate")}
          </Button>
        )}
      </dd>
      <dd>
        <Trouble error={reveal.error} />
        <p className="small dimmed">{t("key.note", { seller: license.seller.name })}</p>
        {isAsking && (
          <Confirm
            title={t("key.rotateTitle")}
            label={t("key.rotateConfirm")}
            run={rotate}
            onDone={() => {
              setAsking(false);
              announce(t("key.rotated"));
            }}
            onClose={() => setAsking(false)}
          >
            <p>{t("key.rotateText")}</p>
            <p>{t("key.rotateIps")}</p>
            <p>{t("cannotBeUndone")}</p>
          </Confirm>
        )}
      </dd>
    </div>
  );
}

/** Which versions of the product a license can use. */
function useVersionText(): (versions: License["versions"]) => string {
  const { t } = useTranslation("portal");
  return (versions) => {
    if (versions === null) return t("versions.all");
    const { pinned, min, max } = versions;
    if (pinned !== null) return t("versions.pinned", { version: pinned });
    if (min !== null && max !== null) return t("versions.range", { min, max });
    if (min !== null) return t("versions.from", { min });
    return max === null ? t("versions.all") : t("versions.below", { max });
  };
}

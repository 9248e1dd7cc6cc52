import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type License } from "../base/api.ts";
import { licenseChanged } from "../base/queries.ts";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Copy } from "../ui/copy.tsx";
import { Trouble } from "../ui/notice.tsx";
import classes from "./license.module.css";

/** Hidden until asked for: the page may be on a screen that others see. */
export function KeyFact({ license }: { readonly license: License }) {
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

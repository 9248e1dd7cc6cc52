import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { License } from "../base/api.ts";
import { CancelTransfer } from "../transfers/cancel-transfer.tsx";
import { Recipient } from "../transfers/recipient.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/page.tsx";
import { Day } from "../ui/time.tsx";
import classes from "./license.module.css";
import { TransferDialog } from "./transfer-dialog.tsx";

/** Nothing if the seller does not offer transfers. */
export function TransferSection({ license }: { readonly license: License }) {
  const { t } = useTranslation("portal");
  const [isOpen, setOpen] = useState(false);
  const { transfer, self_service: offers } = license;
  if (transfer !== null)
    return (
      <Section
        title={t("transfer.title")}
        mark={<Badge tone="warning">{t(`transfer.state.${transfer.state}`)}</Badge>}
      >
        <p>
          {t("transfer.pendingTo")}{" "}
          <strong>
            <Recipient transfer={transfer} />
          </strong>
        </p>
        <p>{t("transfer.pendingText", { seller: license.seller.name })}</p>
        {transfer.message !== null && <blockquote className={classes.quote}>{transfer.message}</blockquote>}
        <p className="small dimmed">
          {t("transfer.requested")} <Day at={transfer.requested_at} />
        </p>
        <CancelTransfer transfer={transfer} />
      </Section>
    );
  if (offers.transfers === "off") return null;
  return (
    <Section title={t("transfer.title")}>
      <p>{t(offers.transfers === "automatic" ? "transfer.introAutomatic" : "transfer.introReview")}</p>
      {offers.can_request_transfer ? (
        <div>
          <Button onClick={() => setOpen(true)}>{t("transfer.open")}</Button>
        </div>
      ) : (
        <p className="dimmed">{t("transfer.notNow")}</p>
      )}
      {isOpen && <TransferDialog license={license} onClose={() => setOpen(false)} />}
    </Section>
  );
}

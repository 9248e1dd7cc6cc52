import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Time } from "../../ui/time.tsx";
import { useHolderName } from "./holder.tsx";
import { decisionKey, type Transfer } from "./transfer.ts";
import classes from "./transfer-page.module.css";

/** When it was requested, and how it was decided. */
export function TransferHistory({ transfer }: { transfer: Transfer }) {
  const { t } = useTranslation("transfers");
  const from = useHolderName()(transfer.from);
  const decision = decisionKey(transfer);
  return (
    <ol className={classes.history}>
      <li>
        {t("requestedBy", { name: from })} · <Time at={transfer.requested_at} />
        {transfer.review_reason !== null && (
          <Text c="dimmed">{t(`reviewReason.${transfer.review_reason}`)}</Text>
        )}
      </li>
      {decision === null || transfer.decided_at === null ? (
        <li>{t("decision.waiting")}</li>
      ) : (
        <li>
          {t(decision, { name: transfer.decided_by_name })} · <Time at={transfer.decided_at} />
          {transfer.state === "rejected" && transfer.reason !== null && (
            <Text className={classes.message ?? ""} c="dimmed">
              {t("reasonIs", { reason: transfer.reason })}
            </Text>
          )}
        </li>
      )}
    </ol>
  );
}

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Transfer } from "../base/api.ts";
import { pathOf } from "../base/pages.ts";
import { licenseQuery, listsChanged, queryClient, transfersQuery } from "../base/queries.ts";
import { Link } from "../base/router.tsx";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { Badge, type Tone } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/state.tsx";
import { Day } from "../ui/time.tsx";
import classes from "./transfers.module.css";

export function TransfersPage() {
  const { t } = useTranslation("portal");
  const query = useInfiniteQuery(transfersQuery);
  const transfers = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page title={t("transfers.title")}>
      <Loaded query={query}>
        {() =>
          transfers.length === 0 ? (
            <Empty title={t("transfers.none")}>
              <p>{t("transfers.noneText")}</p>
            </Empty>
          ) : (
            <ul className={classes.list}>
              {transfers.map((transfer) => (
                <li key={transfer.id} className={classes.item}>
                  <Item transfer={transfer} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {query.hasNextPage && (
        <div>
          <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t("showMore")}
          </Button>
        </div>
      )}
    </Page>
  );
}

const tones: Record<Transfer["state"], Tone> = {
  pending: "warning",
  approved: "good",
  rejected: "danger",
  cancelled: "neutral",
};

function Item({ transfer }: { readonly transfer: Transfer }) {
  const { t } = useTranslation("portal");
  const isPending = transfer.state === "pending";
  return (
    <>
      <div className={classes.title}>
        <h2>
          {isPending ? (
            <Link to={pathOf("license", { licenseId: transfer.license_id })}>{transfer.product_name}</Link>
          ) : (
            transfer.product_name
          )}
        </h2>
        <Badge tone={tones[transfer.state]}>{t(`transfer.state.${transfer.state}`)}</Badge>
      </div>
      <p>
        {t("transfers.to")}{" "}
        <strong>
          <Recipient transfer={transfer} />
        </strong>
      </p>
      <p className="small dimmed">
        {transfer.seller_name} · <span className="mono">{transfer.license_key_hint}</span> ·{" "}
        {t("transfer.requested")} <Day at={transfer.requested_at} />
      </p>
      {transfer.decided_at !== null && (
        <p className="small">
          {t(`transfers.decided.${transfer.state}`, { seller: transfer.seller_name })}{" "}
          <Day at={transfer.decided_at} />
        </p>
      )}
      {transfer.reason !== null && (
        <p>
          {t("transfers.reason")} {transfer.reason}
        </p>
      )}
      {isPending && <CancelTransfer transfer={transfer} />}
    </>
  );
}

export function CancelTransfer({ transfer }: { readonly transfer: Transfer }) {
  const { t } = useTranslation("portal");
  const [isAsking, setAsking] = useState(false);
  return (
    <div>
      <Button
        isSmall
        aria-label={t("transfer.cancelOf", { product: transfer.product_name })}
        onClick={() => setAsking(true)}
      >
        {t("transfer.cancel")}
      </Button>
      {isAsking && (
        <Confirm
          title={t("transfer.cancelTitle")}
          label={t("transfer.cancel")}
          run={() => call("cancelTransfer", { params: { transfer_id: transfer.id } })}
          onDone={() => {
            setAsking(false);
            announce(t("transfer.cancelled"));
            listsChanged();
            void queryClient.invalidateQueries({ queryKey: licenseQuery(transfer.license_id).queryKey });
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t("transfer.cancelText")}</p>
        </Confirm>
      )}
    </div>
  );
}

/** To whom a license is transferred. */
export function Recipient({ transfer }: { readonly transfer: Transfer }) {
  const { t } = useTranslation("portal");
  const { to_email: email, to_discord_id: id } = transfer;
  return email ?? (id === null ? t("deletedCustomer") : t("discordId", { id }));
}

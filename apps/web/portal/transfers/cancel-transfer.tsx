import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Transfer } from "../base/api.ts";
import { licenseQuery, listsChanged, queryClient } from "../base/queries.ts";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";

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

import { eventTypes } from "@countersign/domain/events/types";
import { deliveryStates } from "@countersign/domain/webhooks/delivery-state";
import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { TimeRange } from "../../ui/time-range.tsx";
import classes from "./deliveries.module.css";
import { webhookRoute } from "./webhook-route.ts";

const everything = { state: undefined, type: undefined, from: undefined, to: undefined };

/** The filter of the log. It is stored in the URL. */
export function useDeliveryFilter() {
  const search = webhookRoute.useSearch();
  const navigate = webhookRoute.useNavigate();
  const { state, type, from, to } = search;
  const narrow = (changes: object) => void navigate({ search: { ...search, ...changes }, replace: true });
  return {
    state,
    type,
    from,
    to,
    isNarrowed: [state, type, from, to].some((value) => value !== undefined),
    narrow,
    showAll: () => narrow(everything),
  };
}

export function DeliveryFilter() {
  const { t } = useTranslation("webhooks");
  const { state, type, from, to, narrow } = useDeliveryFilter();
  return (
    <>
      <Select
        className={classes.state ?? ""}
        aria-label={t("log.state")}
        placeholder={t("log.anyState")}
        data={deliveryStates.map((value) => ({ value, label: t(`deliveryStates.${value}.name`) }))}
        value={state ?? null}
        onChange={(value) => narrow({ state: value ?? undefined })}
        clearable
        comboboxProps={{ withinPortal: false }}
      />
      <Select
        className={classes.type ?? ""}
        aria-label={t("log.event")}
        placeholder={t("log.anyEvent")}
        data={eventTypes.map((value) => ({ value, label: t(`types.${value}`) }))}
        value={type ?? null}
        onChange={(value) => narrow({ type: value ?? undefined })}
        clearable
        comboboxProps={{ withinPortal: false }}
        searchable
      />
      <TimeRange from={from} to={to} onChange={narrow} />
    </>
  );
}

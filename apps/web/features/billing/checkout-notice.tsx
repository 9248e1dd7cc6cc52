import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { reloadAfter } from "../../api/queries.ts";
import { Notice } from "../../ui/notice.tsx";
import { type Billing, isPaid } from "./billing.ts";

const billingRoute = getRouteApi("/signed-in/o/$organization/settings/billing");
const everyMs = 2_000;
const mostTries = 30;

/** For users who come back from the payment page. */
export function CheckoutNotice({ billing }: { readonly billing: Billing }) {
  const { t } = useTranslation("billing");
  const { checkout } = billingRoute.useSearch();
  const navigate = billingRoute.useNavigate();
  const isConfirmed = isPaid(billing);
  // Said once: a reload or a bookmark is not another return. Until it is confirmed, a reload keeps waiting.
  const [returned, setReturned] = useState(checkout);
  const isOver = checkout === "cancelled" || (checkout === "done" && isConfirmed);
  useEffect(() => {
    if (!isOver) return;
    setReturned(checkout);
    void navigate({ search: {}, replace: true });
    void reloadAfter("startCheckout");
  }, [isOver, checkout, navigate]);
  if (returned === undefined) return null;
  if (returned === "cancelled")
    return (
      <div role="status">
        <Notice tone="info" title={t("checkout.cancelled.title")}>
          <Text>{t("checkout.cancelled.words")}</Text>
        </Notice>
      </div>
    );
  return (
    <div role="status">
      {isConfirmed ? (
        <Notice tone="info" title={t("checkout.confirmed.title", { plan: billing.plan_name })}>
          <Text>{t("checkout.confirmed.words")}</Text>
        </Notice>
      ) : (
        <Confirming />
      )}
    </div>
  );
}

/** Asks the server until the payment is confirmed, which takes seconds, and stops after a minute. */
function Confirming() {
  const { t } = useTranslation("billing");
  const queries = useQueryClient();
  const [tries, setTries] = useState(0);
  const isWaiting = tries < mostTries;
  useEffect(() => {
    if (tries >= mostTries) return;
    const timer = setTimeout(async () => {
      await queries.refetchQueries({ queryKey: ["getBilling"] });
      setTries(tries + 1);
    }, everyMs);
    return () => clearTimeout(timer);
  }, [tries, queries]);
  return (
    <Notice tone="info" title={t(isWaiting ? "checkout.waiting.title" : "checkout.slow.title")}>
      <Stack gap="xs">
        <Text>{t(isWaiting ? "checkout.waiting.words" : "checkout.slow.words")}</Text>
        <Group>
          {isWaiting ? (
            <Loader size={18} aria-hidden="true" />
          ) : (
            <Button variant="default" onClick={() => setTries(0)}>
              {t("checkout.slow.again")}
            </Button>
          )}
        </Group>
      </Stack>
    </Notice>
  );
}

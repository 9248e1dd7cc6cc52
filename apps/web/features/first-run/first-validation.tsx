import { Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { Icon } from "../../ui/icon.tsx";
import { exactTime } from "../../ui/time.tsx";
import classes from "./first-run.module.css";
import type { License } from "./progress.ts";

const pollMs = 1_500;

/** When the license was first validated successfully; null before. Polled until then. */
export function useFirstUse(license: License): string | null {
  const { data } = useQuery({
    ...ask("getLicense", { params: { license_id: license.id } }),
    refetchInterval: ({ state }) => (state.data?.first_used_at == null ? pollMs : false),
    // The request is sent from another window: a terminal.
    refetchIntervalInBackground: true,
  });
  return data?.first_used_at ?? license.first_used_at;
}

type Request = NonNullable<Answer<"getLastValidation">["request"]>;

/** The product's last request if it was rejected and none has succeeded yet. */
export function useRefusal(productId: string, isWanted: boolean): Request | null {
  const { data } = useQuery({
    ...ask("getLastValidation", { params: { product_id: productId } }),
    enabled: isWanted,
    refetchInterval: pollMs,
    refetchIntervalInBackground: true,
  });
  const request = data?.request ?? null;
  return !isWanted || request?.status === "active" ? null : request;
}

/** Green after the first valid request; red with the reason while the last one was rejected. */
export function FirstValidation({ at, refusal }: { at: string | null; refusal: Request | null }) {
  const { t, i18n } = useTranslation("identity");
  const state = at !== null ? "on" : refusal !== null ? "rejected" : "waiting";
  const words = {
    on: () => t("setup.indicator.onWords", { when: exactTime(at ?? "", i18n.language) }),
    rejected: () => t(`setup.indicator.reasons.${refusal?.status}`),
    waiting: () => t("setup.indicator.waitingWords"),
  };
  return (
    <div className={classes.light} data-state={state} role="status">
      <span className={classes.lamp}>
        {state !== "waiting" && <Icon name={state === "on" ? "check" : "close"} size={16} />}
      </span>
      <div>
        <Text fw={650}>{t(`setup.indicator.${state}`, { status: refusal?.status })}</Text>
        <Text size="sm" c="dimmed">
          {words[state]()}
        </Text>
        {state === "rejected" && refusal?.problem && <Code>{refusal.problem}</Code>}
        {state !== "on" && (
          <Text size="sm" c="dimmed">
            {t("setup.indicator.notSeen")}
          </Text>
        )}
      </div>
    </div>
  );
}

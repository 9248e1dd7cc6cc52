import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../../api/queries.ts";
import { Icon } from "../../../ui/icon.tsx";
import { exactTime } from "../../../ui/time.tsx";
import classes from "./first-run.module.css";
import type { License } from "./standing.ts";

const pollMs = 1_500;

/** When the license was first found valid; null while that has not happened. Asked for until it has. */
export function useFirstUse(license: License): string | null {
  const { data } = useQuery({
    ...ask("getLicense", { params: { license_id: license.id } }),
    refetchInterval: ({ state }) => (state.data?.first_used_at == null ? pollMs : false),
    // The request is sent from another window, a terminal.
    refetchIntervalInBackground: true,
  });
  return data?.first_used_at ?? license.first_used_at;
}

/** Turns green with the first request that was answered with "valid". */
export function FirstLight({ at }: { at: string | null }) {
  const { t, i18n } = useTranslation("identity");
  return (
    <div className={classes.light} data-on={at !== null || undefined} role="status">
      <span className={classes.lamp}>{at !== null && <Icon name="check" size={16} />}</span>
      <div>
        <Text fw={650}>{t(at === null ? "setup.light.waiting" : "setup.light.on")}</Text>
        <Text size="sm" c="dimmed">
          {at === null
            ? t("setup.light.waitingWords")
            : t("setup.light.onWords", { when: exactTime(at, i18n.language) })}
        </Text>
      </div>
    </div>
  );
}

import { Alert, Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { Icon } from "../../ui/icon.tsx";
import { readDismissed, saveDismissed, undismissed, withDismissed } from "./dismissed.ts";

const refreshMs = 300_000;

/** What the operator of this server has to say to everyone. Each can be dismissed in this browser. */
export function Announcements() {
  const { t } = useTranslation();
  const { data } = useQuery({
    ...ask("listAnnouncements"),
    staleTime: refreshMs,
    refetchInterval: refreshMs,
  });
  const [dismissed, setDismissed] = useState(readDismissed);
  const listed = data?.data ?? [];
  return undismissed(listed, dismissed).map((announcement) => (
    <Alert
      key={announcement.id}
      role="status"
      aria-label={t("announcement.label")}
      color={announcement.level === "warning" ? "orange" : "verdigris"}
      radius={0}
      style={{ borderWidth: "0 0 1px", whiteSpace: "pre-line" }}
      icon={<Icon name={announcement.level === "warning" ? "warning" : "info"} />}
      withCloseButton
      closeButtonLabel={t("announcement.dismiss")}
      onClose={() => {
        const next = withDismissed(dismissed, announcement, listed);
        setDismissed(next);
        saveDismissed(next);
      }}
    >
      {announcement.message}
      {announcement.url !== null && (
        <>
          {" "}
          <Anchor
            href={announcement.url}
            target="_blank"
            rel="noopener noreferrer"
            inherit
            underline="always"
            title={t("docs.newTab")}
          >
            {t("announcement.more")}
          </Anchor>
        </>
      )}
    </Alert>
  ));
}

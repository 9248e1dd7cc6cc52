import { Anchor } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Notice } from "../../ui/notice.tsx";

interface AnnouncementPreviewProps {
  readonly level: "info" | "warning";
  readonly message: string;
  readonly url: string | null;
}

/** An announcement as dashboards show it. */
export function AnnouncementPreview({ level, message, url }: AnnouncementPreviewProps) {
  const { t } = useTranslation("admin");
  return (
    <Notice tone={level === "warning" ? "warn" : "info"} title={message}>
      {url !== null && (
        <Anchor href={url} target="_blank" rel="noopener noreferrer" size="sm">
          {t("announcements.more")}
        </Anchor>
      )}
    </Notice>
  );
}

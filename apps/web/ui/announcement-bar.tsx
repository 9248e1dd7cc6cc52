import { Alert, Anchor } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";

interface AnnouncementBarProps {
  readonly level: "info" | "warning";
  readonly message: string;
  readonly url: string | null;
  /** Without it, it cannot be dismissed. */
  readonly onDismiss?: () => void;
}

/** An announcement of the operator, from edge to edge. */
export function AnnouncementBar({ level, message, url, onDismiss }: AnnouncementBarProps) {
  const { t } = useTranslation();
  return (
    <Alert
      role="status"
      aria-label={t("announcement.label")}
      color={level === "warning" ? "orange" : "verdigris"}
      radius={0}
      style={{ borderWidth: "0 0 1px", whiteSpace: "pre-line", overflowWrap: "anywhere" }}
      icon={<Icon name={level === "warning" ? "warning" : "info"} />}
      {...(onDismiss === undefined
        ? {}
        : { withCloseButton: true, closeButtonLabel: t("announcement.dismiss"), onClose: onDismiss })}
    >
      {message}
      {url !== null && (
        <>
          {" "}
          <Anchor
            href={url}
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
  );
}

import { ActionIcon, Button, Group, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon, type IconName } from "../../ui/icon.tsx";

interface KeyActionsProps {
  readonly prefix: string;
  readonly onRename: () => void;
  /** Null for the last key that does not expire. */
  readonly onRevoke: (() => void) | null;
}

/** What can be done with one API key: in words, and on a phone, where these have no room, as icons. */
export function KeyActions({ prefix, onRename, onRevoke }: KeyActionsProps) {
  const { t } = useTranslation("products");
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Action
        words={t("keys.rename")}
        label={t("keys.renameOf", { prefix })}
        icon="edit"
        color="inherit"
        act={onRename}
      />
      {onRevoke !== null && (
        <Action
          words={t("keys.revokeNow")}
          label={t("keys.revokeNowOf", { prefix })}
          icon="close"
          color="var(--mantine-color-error)"
          act={onRevoke}
        />
      )}
    </Group>
  );
}

interface ActionProps {
  readonly words: string;
  readonly label: string;
  readonly icon: IconName;
  readonly color: string;
  readonly act: () => void;
}

function Action({ words, label, icon, color, act }: ActionProps) {
  return (
    <>
      <Button visibleFrom="sm" size="compact-sm" variant="default" c={color} onClick={act} aria-label={label}>
        {words}
      </Button>
      <Tooltip label={label}>
        <ActionIcon hiddenFrom="sm" size="md" variant="default" c={color} onClick={act} aria-label={label}>
          <Icon name={icon} size={15} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}

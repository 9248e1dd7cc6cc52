import { ActionIcon, Popover, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";

interface HelpProps {
  /** The name of what is explained. */
  readonly about: string;
  readonly children: ReactNode;
}

/** An explanation behind a button, for what most users know and some want to know exactly. */
export function Help({ about, children }: HelpProps) {
  const { t } = useTranslation();
  return (
    <Popover position="bottom" shadow="md" width={320} withArrow trapFocus={false} returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          style={{ alignSelf: "center" }}
          aria-label={t("help", { about })}
        >
          <Icon name="info" size={15} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Text component="div" size="sm">
          {children}
        </Text>
      </Popover.Dropdown>
    </Popover>
  );
}

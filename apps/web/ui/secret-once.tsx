import { Alert, Button, Checkbox, Code, Group, Modal, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Copy } from "./copy.tsx";
import { Icon } from "./icon.tsx";
import { useGuard } from "./unsaved.ts";

interface SecretOnceProps {
  readonly title: string;
  /** What it is for, and where to store it. */
  readonly children?: ReactNode;
  /** Null if there is nothing to show. */
  readonly secret: string | null;
  readonly onDone: () => void;
}

/** A secret that is shown once. The dialog stays open until the user confirms that they have saved it. */
export function SecretOnce({ title, children, secret, onDone }: SecretOnceProps) {
  return (
    <Modal
      opened={secret !== null}
      onClose={onDone}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {secret !== null && (
        <SecretBox secret={secret} onDone={onDone}>
          {children}
        </SecretBox>
      )}
    </Modal>
  );
}

/** The same without a dialog, for a page of its own. */
export function SecretBox({
  children,
  secret,
  onDone,
}: {
  children?: ReactNode;
  secret: string;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const [isStored, setStored] = useState(false);
  useGuard(() => !isStored, { kind: "secret", goesWithSearch: true });
  return (
    <Stack>
      {children !== undefined && <Text>{children}</Text>}
      <Group gap="xs" wrap="nowrap" align="stretch">
        <Code block style={{ flex: 1, overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
          {secret}
        </Code>
        <Copy value={secret} label={t("copy")} />
      </Group>
      <Alert color="orange" icon={<Icon name="warning" />}>
        {t("secret.once")}
      </Alert>
      <Checkbox
        label={t("secret.stored")}
        checked={isStored}
        onChange={(event) => setStored(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button disabled={!isStored} onClick={onDone}>
          {t("secret.continue")}
        </Button>
      </Group>
    </Stack>
  );
}

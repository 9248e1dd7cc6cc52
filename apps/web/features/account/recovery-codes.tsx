import { Alert, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Copy } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useGuard } from "../../ui/unsaved.ts";
import classes from "./account.module.css";

/** Shown once, until the user confirms that they have saved them. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTranslation("account");
  const [isStored, setStored] = useState(false);
  useGuard(() => !isStored, { kind: "secret", goesWithSearch: true });
  const text = `${codes.join("\n")}\n`;
  return (
    <Stack>
      <Text>{t("codes.words")}</Text>
      <ol className={`${classes.codes} mono`}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <Group gap="xs">
        <Copy value={text} label={t("codes.copy")} />
        <Button
          variant="default"
          component="a"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${t("codes.file", { host: location.host })}\n\n${text}`)}`}
          download="countersign-recovery-codes.txt"
          leftSection={<Icon name="download" size={14} />}
        >
          {t("codes.download")}
        </Button>
      </Group>
      <Alert color="orange" icon={<Icon name="warning" />}>
        {t("codes.once")}
      </Alert>
      <Checkbox
        label={t("codes.stored")}
        checked={isStored}
        onChange={(event) => setStored(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button disabled={!isStored} onClick={onDone}>
          {t("codes.done")}
        </Button>
      </Group>
    </Stack>
  );
}

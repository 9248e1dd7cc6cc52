import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { UnsavedKind } from "./unsaved.ts";
import { useLeaveQuestion } from "./unsaved.ts";

/** Asks before something is discarded. Escape, a click outside and the first button stay on the page. */
export function LeaveQuestion() {
  const { t } = useTranslation();
  const question = useLeaveQuestion();
  // Keeps its text while it fades out.
  const [last, setLast] = useState<UnsavedKind>("typed");
  if (question !== null && question.kind !== last) setLast(question.kind);
  return (
    <Modal
      opened={question !== null}
      onClose={() => question?.dismiss()}
      title={t(`unsaved.${last}.title`)}
      // Above the dialog that it is about.
      zIndex={300}
    >
      <Stack>
        <Text>{t(`unsaved.${last}.words`)}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => question?.answer(true)}>
            {t(`unsaved.${last}.leave`)}
          </Button>
          <Button onClick={() => question?.answer(false)} data-autofocus>
            {t(`unsaved.${last}.stay`)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

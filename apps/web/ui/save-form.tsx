import { Button, Group, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";

interface SaveFormProps {
  readonly onSave: () => void;
  readonly isBusy: boolean;
  /** Whether there is anything to save. */
  readonly isChanged: boolean;
  readonly children: ReactNode;
}

/** Settings that are saved together, in a panel. */
export function SaveForm({ onSave, isBusy, isChanged, children }: SaveFormProps) {
  const { t } = useTranslation();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        <Group>
          <Button type="submit" loading={isBusy} disabled={!isChanged}>
            {t("save")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

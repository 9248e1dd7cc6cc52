import { Button, Group, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";

interface DialogFormProps {
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly isBusy: boolean;
  /** What the button says: the deed itself, never "OK". */
  readonly deed: string;
  readonly isDisabled?: boolean;
  /** It takes something away. */
  readonly isRemoval?: boolean;
  readonly children: ReactNode;
}

/** A form in a window: its fields, and below them the way out and the deed. */
export function DialogForm({
  onSubmit,
  onClose,
  isBusy,
  deed,
  isDisabled,
  isRemoval = false,
  children,
}: DialogFormProps) {
  const { t } = useTranslation();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("cancel")}
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            disabled={isDisabled ?? false}
            {...(isRemoval ? { color: "red" } : {})}
          >
            {deed}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Form, type FormProps } from "./form.tsx";

interface SaveFormProps extends Pick<FormProps, "onSubmit" | "typed" | "error"> {
  readonly isBusy: boolean;
  /** The saved values, in the same form as `typed`. */
  readonly base: unknown;
  readonly children: ReactNode;
}

/** A panel of settings that are saved together. */
export function SaveForm({ isBusy, children, ...form }: SaveFormProps) {
  const { t } = useTranslation();
  const isChanged = JSON.stringify(form.typed) !== JSON.stringify(form.base);
  return (
    <Form {...form}>
      <Stack>
        {children}
        <Group>
          <Button type="submit" loading={isBusy} disabled={!isChanged}>
            {t("save")}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

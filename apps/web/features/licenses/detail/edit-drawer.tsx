import { Button, Group, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { ask, useChange } from "../../../api/queries.ts";
import { SideDialog, useCloseDialog } from "../../../ui/dialog.tsx";
import { Form } from "../../../ui/form.tsx";
import { notify } from "../../../ui/notify.tsx";
import { FormProblem, useForm } from "../../../ui/use-form.tsx";
import { changesOf, type Draft, draftOf } from "./draft.ts";
import { EditFields } from "./edit-fields.tsx";
import type { License } from "./license.ts";
import classes from "./license-page.module.css";

interface EditDrawerProps {
  readonly license: License;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Every field of a license. Changes made by someone else in the meantime are never overwritten silently. */
export function EditDrawer(props: EditDrawerProps) {
  const { t } = useTranslation("licenses");
  return (
    <SideDialog
      opened={props.opened}
      onClose={props.onClose}
      position="right"
      size="lg"
      title={t("edit.title")}
    >
      {props.opened && <EditForm {...props} />}
    </SideDialog>
  );
}

function EditForm({ license, onClose }: EditDrawerProps) {
  const { t } = useTranslation("licenses");
  const queries = useQueryClient();
  const update = useChange("updateLicense");
  const [updatedAt, setUpdatedAt] = useState(license.updated_at);
  const close = useCloseDialog();
  const params = { license_id: license.id };
  const form = useForm<Draft>({
    start: draftOf(license),
    send: async (draft) => {
      if (form.isChanged) {
        await update.mutateAsync({ params, body: { ...changesOf(form.base, draft), updated_at: updatedAt } });
        notify(t("done.saved"));
      }
      onClose();
    },
    reload: async () => {
      const now = await call("getLicense", { params });
      queries.setQueryData(ask("getLicense", { params }).queryKey, now);
      setUpdatedAt(now.updated_at);
      return draftOf(now);
    },
  });
  return (
    <Form {...form.props}>
      <Stack gap="xl">
        <EditFields form={form} license={license} />
        <Stack gap="sm" className={classes.foot ?? ""}>
          <FormProblem form={form} beside={["term_seconds"]} nameOf={(field) => t(`fields.${field}`)} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {t("everywhere:cancel")}
            </Button>
            <Button type="submit" loading={form.isBusy}>
              {t("everywhere:save")}
            </Button>
          </Group>
        </Stack>
      </Stack>
    </Form>
  );
}

import { Alert, Button, Group, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { ApiProblem } from "../../../api/problem.ts";
import { ask, useChange } from "../../../api/queries.ts";
import { ChangedMeanwhile } from "../../../ui/changed-meanwhile.tsx";
import { SideDialog, useCloseDialog } from "../../../ui/dialog.tsx";
import { Form } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { notify } from "../../../ui/notify.tsx";
import { ProblemAlert } from "../../../ui/problem-alert.tsx";
import { changedFields, changesOf, type Draft, type DraftField, draftOf, rebased } from "./draft.ts";
import { furtherDetails } from "./edit-errors.ts";
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
  // The values when the form opened: a refetch must not replace them.
  const [base, setBase] = useState({ draft: draftOf(license), updatedAt: license.updated_at });
  const [draft, setDraft] = useState<Draft>(base.draft);
  const [both, setBoth] = useState<readonly DraftField[] | null>(null);
  const close = useCloseDialog();
  const { error } = update;
  const isOld = error instanceof ApiProblem && error.code === "changed_meanwhile";
  const params = { license_id: license.id };
  const submit = async () => {
    if (changedFields(base.draft, draft).length === 0) return onClose();
    try {
      await update.mutateAsync({
        params,
        body: { ...changesOf(base.draft, draft), updated_at: base.updatedAt },
      });
    } catch {
      return;
    }
    notify(t("done.saved"));
    onClose();
  };
  const reload = async () => {
    const now = await call("getLicense", { params });
    queries.setQueryData(ask("getLicense", { params }).queryKey, now);
    const next = rebased(base.draft, draft, draftOf(now));
    setDraft(next.draft);
    setBoth(next.both);
    setBase({ draft: draftOf(now), updatedAt: now.updated_at });
    update.reset();
  };
  return (
    <Form onSubmit={submit} typed={draft} base={base.draft} error={error}>
      <Stack gap="xl">
        <EditFields
          draft={draft}
          license={license}
          error={error}
          change={(changes) => setDraft((before) => ({ ...before, ...changes }))}
        />
        <Stack gap="sm" className={classes.foot ?? ""}>
          {isOld ? (
            <ChangedMeanwhile onReload={reload} />
          ) : (
            <ProblemAlert error={error} beside={furtherDetails(error)} />
          )}
          {both !== null && !isOld && (
            <Alert role="status" icon={<Icon name="info" />}>
              {t("everywhere:changedMeanwhile.loaded")}{" "}
              {both.length > 0 &&
                t("everywhere:changedMeanwhile.both", {
                  fields: both.map((field) => t(`fields.${field}`)).join(", "),
                })}
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {t("everywhere:cancel")}
            </Button>
            <Button type="submit" loading={update.isPending}>
              {t("everywhere:save")}
            </Button>
          </Group>
        </Stack>
      </Stack>
    </Form>
  );
}

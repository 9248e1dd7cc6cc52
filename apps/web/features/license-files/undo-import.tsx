import { Button, Checkbox, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { useMay } from "../../session/current-organization.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import type { Import } from "./license-import.ts";

/** Undoes an import, after showing the effects. */
export function UndoImport({ job }: { job: Import }) {
  const { t, i18n } = useTranslation("license-files");
  const may = useMay();
  const [opened, setOpened] = useState(false);
  const [deleteUsed, setDeleteUsed] = useState(false);
  const params = { product_id: job.product_id, import_id: job.id };
  const undo = useChange("undoLicenseImport");
  const forecast = useQuery({
    ...ask("forecastImportUndo", { params }),
    // Once the import is being undone, a forecast would be refused.
    enabled: opened && !undo.isPending && !undo.isSuccess,
    gcTime: 0,
    staleTime: 0,
  });
  if (!may("licenses:delete") || (job.updated > 0 && !(may("licenses:update") && may("licenses:revoke"))))
    return null;
  const counts = forecast.data;
  const words = (count: number) => ({ count, number: count.toLocaleString(i18n.language) });
  const deleted = counts === undefined ? 0 : counts.created - (deleteUsed ? 0 : counts.used);
  const restored = counts === undefined ? 0 : counts.updated - counts.changed;
  return (
    <>
      <Button variant="default" c="red" onClick={() => setOpened(true)}>
        {t("undo.open")}
      </Button>
      <Confirm
        opened={opened}
        onClose={() => setOpened(false)}
        title={t("undo.title")}
        action={t("undo.do")}
        isIdle={counts === undefined || deleted + restored === 0}
        onConfirm={() => undo.mutateAsync({ params, body: { delete_used: deleteUsed } })}
      >
        {counts === undefined ? (
          forecast.error === null ? (
            <Skeleton height={60} />
          ) : (
            <ProblemAlert error={forecast.error} />
          )
        ) : (
          <Stack gap="xs">
            {counts.created > 0 && <Text>{t("undo.deletes", words(deleted))}</Text>}
            {counts.updated > 0 && <Text>{t("undo.restores", words(restored))}</Text>}
            {counts.changed > 0 && <Text>{t("undo.changed", words(counts.changed))}</Text>}
            {counts.used > 0 && (
              <Checkbox
                label={t("undo.deleteUsed", words(counts.used))}
                description={t("undo.deleteUsedHint")}
                checked={deleteUsed}
                onChange={(event) => setDeleteUsed(event.currentTarget.checked)}
              />
            )}
            <Text c="dimmed" size="sm">
              {t("undo.customersStay")}
            </Text>
          </Stack>
        )}
      </Confirm>
    </>
  );
}

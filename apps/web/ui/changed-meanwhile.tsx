import { Alert, Button, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";
import { notifyProblem } from "./notify.tsx";

/** Someone else saved first: nothing was saved, and their version can be loaded without losing the user's edits. */
export function ChangedMeanwhile({ onReload }: { readonly onReload: () => Promise<unknown> }) {
  const { t } = useTranslation();
  return (
    <Alert color="orange" role="alert" title={t("changedMeanwhile.title")} icon={<Icon name="warning" />}>
      <Stack gap="xs" align="flex-start">
        {t("changedMeanwhile.words")}
        <Button size="xs" variant="default" onClick={() => onReload().catch(notifyProblem)}>
          {t("changedMeanwhile.reload")}
        </Button>
      </Stack>
    </Alert>
  );
}

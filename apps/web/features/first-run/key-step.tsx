import { Alert, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { SecretBox } from "../../ui/secret-once.tsx";
import { StepCard } from "./step-card.tsx";

export function KeyStep({ apiKey, onStored }: { apiKey: string; onStored: () => void }) {
  const { t } = useTranslation("identity");
  return (
    <StepCard step="product" title={t("setup.key.title")} lead={t("setup.key.lead")} canLeave={false}>
      <Stack>
        <Alert color="orange" icon={<Icon name="warning" />} title={t("setup.key.notInAppsTitle")}>
          {t("setup.key.notInApps")}
        </Alert>
        <SecretBox secret={apiKey} onDone={onStored} />
      </Stack>
    </StepCard>
  );
}

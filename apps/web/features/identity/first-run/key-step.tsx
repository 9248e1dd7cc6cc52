import { useTranslation } from "react-i18next";
import { SecretBox } from "../../../ui/secret-once.tsx";
import { StepCard } from "./step-card.tsx";

export function KeyStep({ apiKey, onStored }: { apiKey: string; onStored: () => void }) {
  const { t } = useTranslation("identity");
  return (
    <StepCard step="product" title={t("setup.key.title")} lead={t("setup.key.lead")} canLeave={false}>
      <SecretBox secret={apiKey} onDone={onStored} />
    </StepCard>
  );
}

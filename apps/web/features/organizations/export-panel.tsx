import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { urlOf } from "../../api/client.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";

export function ExportPanel() {
  const { t } = useTranslation("organizations");
  const { id, slug } = useOrganization();
  return (
    <Panel
      title={t("export.title")}
      lead={t("export.lead")}
      actions={
        <Button
          variant="default"
          component="a"
          href={urlOf("exportOrganization", { params: { organization_id: id } })}
          download={`${slug}.jsonl`}
          leftSection={<Icon name="download" size={16} />}
        >
          {t("export.do")}
        </Button>
      }
    />
  );
}

import { Button, Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { urlOf } from "../../api/client.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Icon } from "../../ui/icon.tsx";
import type { AuditSearch } from "./search.ts";

/** Exports the filtered list, including entries that are not loaded yet. */
export function ExportMenu({ search }: { search: AuditSearch }) {
  const { t } = useTranslation("audit-log");
  const { id } = useOrganization();
  const { entry: _, ...filters } = search;
  const address = (format: "csv" | "jsonl") =>
    urlOf("exportAuditLog", { params: { organization_id: id }, query: { format, ...filters } });
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={15} />}>
          {t("export.do")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={address("csv")} download="audit-log.csv">
          {t("export.csv")}
        </Menu.Item>
        <Menu.Item component="a" href={address("jsonl")} download="audit-log.jsonl">
          {t("export.jsonl")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

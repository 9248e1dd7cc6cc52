import { Button, Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { urlOf } from "../../api/client.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Icon } from "../../ui/icon.tsx";
import { isFiltered, queryOf } from "./filters.ts";
import type { RequestFilters } from "./search.ts";

/** Exports the filtered list, including requests that are not loaded yet. */
export function ExportMenu({ filters }: { filters: RequestFilters }) {
  const { t } = useTranslation("requests");
  const { id } = useOrganization();
  return (
    <Menu position="bottom-end" shadow="md" width={260}>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={15} />}>
          {t("export.open")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t(isFiltered(filters) ? "export.filtered" : "export.all")}</Menu.Label>
        {(["csv", "jsonl"] as const).map((format) => (
          <Menu.Item
            key={format}
            component="a"
            download={`requests.${format}`}
            href={urlOf("exportRequests", {
              params: { organization_id: id },
              query: { ...queryOf(filters), format },
            })}
          >
            {t(`export.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

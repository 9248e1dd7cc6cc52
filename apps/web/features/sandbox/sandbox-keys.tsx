import { Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Copy, Copyable } from "../../ui/copy.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Panel } from "../../ui/panel.tsx";
import { curlOf, meaningKey } from "./curl.ts";
import type { Sandbox } from "./test-key.tsx";

/** The fixed license keys: what each returns, and the request that shows it. */
export function SandboxKeys({ sandbox }: { sandbox: Sandbox }) {
  const { t } = useTranslation("sandbox");
  return (
    <Panel title={t("keys.title")} lead={t("keys.lead")}>
      <DataTable
        label={t("keys.title")}
        rows={sandbox.license_keys}
        keyOf={(row) => row.license_key}
        isPending={false}
        error={null}
        empty={null}
        columns={[
          {
            id: "key",
            header: t("keys.key"),
            cell: (row) => (
              <Stack gap={0}>
                <Copyable value={row.license_key} />
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {row.http_status}. {t(meaningKey(row.license_key), { defaultValue: row.description })}
                </Text>
              </Stack>
            ),
          },
          {
            id: "status",
            header: t("keys.status"),
            wide: true,
            cell: (row) => <span className="mono oneLine">{row.status}</span>,
          },
          {
            id: "http",
            header: t("keys.http"),
            align: "right",
            wide: true,
            cell: (row) => <span className="figures">{row.http_status}</span>,
          },
          {
            id: "meaning",
            header: t("keys.meaning"),
            wide: true,
            cell: (row) => t(meaningKey(row.license_key), { defaultValue: row.description }),
          },
          {
            id: "curl",
            header: t("keys.try"),
            cell: (row) => (
              <Group wrap="nowrap">
                <Copy
                  size="compact-sm"
                  value={curlOf(window.location.origin, sandbox.api_key, row.license_key)}
                  label="curl"
                  name={t("keys.copyCurl", { key: row.license_key })}
                />
              </Group>
            ),
          },
        ]}
      />
    </Panel>
  );
}

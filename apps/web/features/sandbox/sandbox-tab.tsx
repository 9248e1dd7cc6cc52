import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Trans, useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask, useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Copy, Copyable } from "../../ui/copy.tsx";
import { DocsLink } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import { List } from "../../ui/list.tsx";
import { notify } from "../../ui/notify.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Facts, Panel } from "../../ui/section.tsx";
import { TabWaiting } from "../products/frame/product-page.tsx";
import { type Product, useProduct } from "../products/frame/use-product.ts";

type Sandbox = Answer<"getSandbox">;

/** A test API key, and a license key for every outcome, for tests that must not count. */
export function SandboxTab() {
  const product = useProduct();
  const { data, error } = useQuery(ask("getSandbox", { params: { product_id: product.id } }));
  if (data === undefined) return error === null ? <TabWaiting /> : <ProblemAlert error={error} />;
  return (
    <>
      <TestKey product={product} sandbox={data} />
      <SandboxKeys sandbox={data} />
    </>
  );
}

/** The fixed license keys: what each returns, and the request that shows it. */
function SandboxKeys({ sandbox }: { sandbox: Sandbox }) {
  const { t } = useTranslation("sandbox");
  const meaningOf = (row: Sandbox["license_keys"][number]) =>
    t(meaningKey(row.license_key), { defaultValue: row.description });
  return (
    <Panel title={t("keys.title")} lead={t("keys.lead")}>
      <List
        label={t("keys.title")}
        rows={sandbox.license_keys}
        keyOf={(row) => row.license_key}
        columns={[
          {
            header: t("keys.key"),
            cell: (row) => (
              <Stack gap={0}>
                <Copyable value={row.license_key} />
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {row.http_status}. {meaningOf(row)}
                </Text>
              </Stack>
            ),
          },
          {
            header: t("keys.status"),
            wide: true,
            cell: (row) => <span className="mono oneLine">{row.status}</span>,
          },
          { header: t("keys.http"), wide: true, count: (row) => row.http_status },
          { header: t("keys.meaning"), wide: true, cell: meaningOf },
          {
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
        empty={null}
      />
    </Panel>
  );
}

/** The test API key. It grants nothing, so it is shown whenever it is needed. */
function TestKey({ product, sandbox }: { product: Product; sandbox: Sandbox }) {
  const { t } = useTranslation("sandbox");
  const organization = useOrganization();
  const mayRotate = useMay()("products:rotate_key");
  const queries = useQueryClient();
  const rotate = useChange("rotateSandboxKey");
  const params = { product_id: product.id };
  const replacement = useConfirm(() => ({
    title: t("key.replaceTitle"),
    children: t("key.replaceWords"),
    action: t("key.replace"),
    onConfirm: async () => {
      const replaced = await rotate.mutateAsync({ params });
      queries.setQueryData(ask("getSandbox", { params }).queryKey, replaced);
      notify(t("key.replaced"));
    },
  }));
  const isSigned = product.signed_validation && organization.signed_validation;
  return (
    <Panel
      title={t("key.title")}
      lead={t("key.lead")}
      actions={
        mayRotate && (
          <Button
            variant="default"
            leftSection={<Icon name="refresh" size={16} />}
            onClick={() => replacement.ask()}
          >
            {t("key.replace")}
          </Button>
        )
      }
    >
      <Facts>
        <dt>{t("key.apiKey")}</dt>
        <dd>
          <Copyable value={sandbox.api_key} />
        </dd>
        {isSigned && (
          <>
            <dt>{t("key.signingKey")}</dt>
            <dd>
              <Copyable value={sandbox.signing_key.secret} />
            </dd>
          </>
        )}
      </Facts>
      <Stack gap={4}>
        <Text>{t("ci.words")}</Text>
        <Text c="dimmed" size="sm">
          <Trans
            t={t}
            i18nKey="ci.more"
            components={{
              code: <span className="mono" />,
              docs: <DocsLink section="sandbox">docs</DocsLink>,
            }}
          />
        </Text>
      </Stack>
      {replacement.dialog}
    </Panel>
  );
}

/** The command that validates a license key of the sandbox. */
export function curlOf(server: string, apiKey: string, licenseKey: string): string {
  return [
    `curl -i -X POST ${server}/api/v1/validate \\`,
    `  -H 'Authorization: Bearer ${apiKey}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify({ license_key: licenseKey, version: "1.0.0" })}'`,
  ].join("\n");
}

/** The translation of what a fixed license key means: `meaning.active_new_ip`. */
export function meaningKey(licenseKey: string): string {
  return `meaning.${licenseKey.replace("SANDBOX-", "").toLowerCase().replaceAll("-", "_")}`;
}

import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Trans, useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask, useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Copy, Copyable } from "../../ui/copy.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { DocsLink } from "../../ui/docs-link.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { TabWaiting } from "../products/frame/tab-waiting.tsx";
import type { Product } from "../products/frame/use-product.ts";
import { useProduct } from "../products/frame/use-product.ts";
import { curlOf, meaningKey } from "./curl.ts";

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

type Sandbox = Answer<"getSandbox">;

/** The test API key. It grants nothing, so it is shown whenever it is needed. */
function TestKey({ product, sandbox }: { product: Product; sandbox: Sandbox }) {
  const { t } = useTranslation("sandbox");
  const organization = useOrganization();
  const mayRotate = useMay()("products:rotate_key");
  const queries = useQueryClient();
  const rotate = useChange("rotateSandboxKey");
  const [isRotating, setRotating] = useState(false);
  const params = { product_id: product.id };
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
            onClick={() => setRotating(true)}
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
      <Confirm
        opened={isRotating}
        onClose={() => setRotating(false)}
        title={t("key.replaceTitle")}
        action={t("key.replace")}
        onConfirm={async () => {
          const replaced = await rotate.mutateAsync({ params });
          queries.setQueryData(ask("getSandbox", { params }).queryKey, replaced);
          notify(t("key.replaced"));
        }}
      >
        {t("key.replaceWords")}
      </Confirm>
    </Panel>
  );
}

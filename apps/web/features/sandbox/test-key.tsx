import { Button, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Trans, useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask, useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { DocsLink } from "../../ui/validate-help.tsx";
import type { Product } from "../products/frame/use-product.ts";

export type Sandbox = Answer<"getSandbox">;

/** The test API key. It grants nothing, so it is shown whenever it is needed. */
export function TestKey({ product, sandbox }: { product: Product; sandbox: Sandbox }) {
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

import { Button, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { tell } from "../../ui/tell.tsx";
import { Time } from "../../ui/time.tsx";
import { OverlapChoice } from "./overlap-choice.tsx";
import type { Product } from "./use-product.ts";

type ApiKey = Product["api_keys"][number];

/** The keys that apps ask with, and how to change them without stopping any app. */
export function ApiKeys({ product, mayRotate }: { product: Product; mayRotate: boolean }) {
  const { t } = useTranslation("products");
  const [isRotating, setRotating] = useState(false);
  const [ending, setEnding] = useState<ApiKey | null>(null);
  const [overlapSeconds, setOverlapSeconds] = useState(86_400);
  const rotate = useChange("rotateApiKey", ["getProduct", "listProducts"]);
  const end = useChange("endApiKey", ["getProduct", "listProducts"]);
  const params = { product_id: product.id };
  return (
    <Panel
      title={t("keys.title")}
      lead={t("keys.lead")}
      actions={
        mayRotate && (
          <Button leftSection={<Icon name="refresh" size={16} />} onClick={() => setRotating(true)}>
            {t("keys.rotate")}
          </Button>
        )
      }
    >
      <DataTable
        label={t("keys.title")}
        rows={product.api_keys}
        keyOf={(key) => key.prefix}
        isPending={false}
        error={null}
        empty={null}
        columns={[
          { id: "prefix", header: t("keys.prefix"), cell: ({ prefix }) => <KeyPrefix prefix={prefix} /> },
          {
            id: "works",
            header: t("keys.works"),
            cell: (key) =>
              key.expires_at === null ? (
                t("keys.newest")
              ) : (
                <Text inherit>
                  {t("keys.ends")} <Time at={key.expires_at} />
                </Text>
              ),
          },
          { id: "made", header: t("created"), wide: true, cell: (key) => <Time at={key.created_at} /> },
          ...(mayRotate
            ? [
                {
                  id: "end",
                  header: <VisuallyHidden>{t("keys.endNow")}</VisuallyHidden>,
                  align: "right" as const,
                  cell: (key: ApiKey) =>
                    key.expires_at !== null && (
                      <Button
                        size="compact-sm"
                        variant="default"
                        c="var(--mantine-color-error)"
                        onClick={() => setEnding(key)}
                        aria-label={t("keys.endNowOf", { prefix: key.prefix })}
                      >
                        {t("keys.endNow")}
                      </Button>
                    ),
                },
              ]
            : []),
        ]}
      />
      <Confirm
        opened={isRotating}
        onClose={() => setRotating(false)}
        title={t("keys.rotate")}
        deed={t("keys.rotateDo")}
        harmless={overlapSeconds > 0}
        onConfirm={() => rotate.mutateAsync({ params, body: { overlap_seconds: overlapSeconds } })}
      >
        <Stack gap="sm">
          <Text>{t("keys.rotateWords")}</Text>
          <OverlapChoice
            label={t("keys.overlap")}
            choices={[0, 3_600, 86_400, 259_200, 604_800]}
            value={overlapSeconds}
            onChange={setOverlapSeconds}
          />
          <Text size="sm" c="dimmed">
            {overlapSeconds === 0 ? t("keys.overlapNone") : t("keys.overlapSome")}
          </Text>
        </Stack>
      </Confirm>
      <Confirm
        opened={ending !== null}
        onClose={() => setEnding(null)}
        title={t("keys.endQuestion", { prefix: ending?.prefix })}
        deed={t("keys.endNow")}
        onConfirm={async () => {
          await end.mutateAsync({ params: { ...params, prefix: ending?.prefix ?? "" } });
          tell(t("keys.ended", { prefix: ending?.prefix }));
        }}
      >
        {t("keys.endWords")}
      </Confirm>
      <SecretOnce
        title={t("keys.newKey")}
        secret={isRotating ? null : (rotate.data?.api_key ?? null)}
        onDone={rotate.reset}
      >
        {t("keys.newKeyWords", { name: product.name })}
      </SecretOnce>
    </Panel>
  );
}

function KeyPrefix({ prefix }: { prefix: string }) {
  return <span className="mono">{prefix}_…</span>;
}

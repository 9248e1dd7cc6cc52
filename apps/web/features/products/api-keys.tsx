import { Alert, Badge, Button, Group, Stack, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import type { Product } from "./frame/use-product.ts";
import { KeyActions } from "./key-actions.tsx";
import { OverlapChoice } from "./overlap-choice.tsx";

type ApiKey = Product["api_keys"][number];

/** The API keys of apps, and how to rotate them without downtime. */
export function ApiKeys({ product, mayRotate }: { product: Product; mayRotate: boolean }) {
  const { t } = useTranslation("products");
  const [isRotating, setRotating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const [renaming, setRenaming] = useState<ApiKey | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [name, setName] = useState("");
  const [overlapSeconds, setOverlapSeconds] = useState<number | null>(86_400);
  const add = useChange("createApiKey");
  const rename = useChange("updateApiKey");
  const rotate = useChange("rotateApiKey");
  const revoke = useChange("endApiKey");
  const params = { product_id: product.id };
  const lasting = product.api_keys.filter((key) => key.expires_at === null).length;
  const validUntil = (key: ApiKey) =>
    key.expires_at === null ? (
      t("keys.untilRevoked")
    ) : (
      <Text inherit component="span">
        {t("keys.expires")} <ListTime at={key.expires_at} />
      </Text>
    );
  return (
    <Panel
      title={t("keys.title")}
      lead={t("keys.lead")}
      actions={
        mayRotate && (
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<Icon name="refresh" size={16} />}
              onClick={() => setRotating(true)}
            >
              {t("keys.rotate")}
            </Button>
            <Button
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => {
                setName("");
                setAdding(true);
              }}
            >
              {t("keys.add")}
            </Button>
          </Group>
        )
      }
    >
      <UnusedKeys keys={product.api_keys.filter((key) => key.is_unused)} />
      <DataTable
        label={t("keys.title")}
        rows={product.api_keys}
        keyOf={(key) => key.prefix}
        isPending={false}
        error={null}
        empty={null}
        columns={[
          {
            id: "prefix",
            header: t("keys.prefix"),
            cell: (key) => (
              <Stack gap={0}>
                <Text inherit {...(key.name === "" ? { c: "dimmed" } : {})}>
                  {key.name === "" ? t("keys.unnamed") : key.name}
                </Text>
                <KeyPrefix prefix={key.prefix} />
                <Text component="div" size="xs" c="dimmed" hiddenFrom="sm">
                  {t("keys.valid")} {validUntil(key)}
                </Text>
              </Stack>
            ),
          },
          {
            id: "used",
            header: t("keys.lastUsed"),
            cell: (key) => (
              <Stack gap={4} align="flex-start">
                {key.last_used_at === null ? t("keys.never") : <ListTime at={key.last_used_at} />}
                {key.is_unused && (
                  <Badge color="orange" variant="light">
                    {t("keys.unused")}
                  </Badge>
                )}
              </Stack>
            ),
          },
          { id: "valid", header: t("keys.valid"), wide: true, cell: validUntil },
          {
            id: "created",
            header: t("created"),
            wide: true,
            cell: (key) => <ListTime at={key.created_at} />,
          },
          ...(mayRotate
            ? [
                {
                  id: "actions",
                  header: <VisuallyHidden>{t("keys.revokeNow")}</VisuallyHidden>,
                  align: "right" as const,
                  cell: (key: ApiKey) => (
                    <KeyActions
                      prefix={key.prefix}
                      onRename={() => {
                        setName(key.name);
                        setRenaming(key);
                      }}
                      onRevoke={key.expires_at !== null || lasting > 1 ? () => setRevoking(key) : null}
                    />
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
        action={t("keys.rotateDo")}
        harmless={overlapSeconds !== 0}
        onConfirm={() => rotate.mutateAsync({ params, body: { overlap_seconds: overlapSeconds } })}
      >
        <Stack gap="sm">
          <Text>{t("keys.rotateWords")}</Text>
          <OverlapChoice
            label={t("keys.overlap")}
            choices={[0, 3_600, 86_400, 259_200, 604_800, 2_592_000, 7_776_000, null]}
            value={overlapSeconds}
            onChange={setOverlapSeconds}
          />
          <Text size="sm" c="dimmed">
            {t(overlapWords(overlapSeconds))}
          </Text>
        </Stack>
      </Confirm>
      <Confirm
        opened={revoking !== null}
        onClose={() => setRevoking(null)}
        title={t("keys.revokeQuestion", { prefix: revoking?.prefix })}
        action={t("keys.revokeNow")}
        onConfirm={async () => {
          await revoke.mutateAsync({ params: { ...params, prefix: revoking?.prefix ?? "" } });
          notify(t("keys.revoked", { prefix: revoking?.prefix }));
        }}
      >
        <Stack gap="xs">
          <Text>{t("keys.revokeWords")}</Text>
          <Text fw={600}>
            {revoking?.last_used_at == null ? (
              t("keys.revokeNeverUsed")
            ) : (
              <>
                {t("keys.revokeLastUsed")} <ListTime at={revoking.last_used_at} />
              </>
            )}
          </Text>
        </Stack>
      </Confirm>
      <Confirm
        opened={isAdding}
        onClose={() => setAdding(false)}
        title={t("keys.add")}
        action={t("keys.addDo")}
        harmless
        draft={name}
        onConfirm={() => add.mutateAsync({ params, body: { name } })}
      >
        <Stack gap="sm">
          <Text>{t("keys.addWords")}</Text>
          <KeyName name={name} onChange={setName} />
        </Stack>
      </Confirm>
      <Confirm
        opened={renaming !== null}
        onClose={() => setRenaming(null)}
        title={t("keys.renameTitle", { prefix: renaming?.prefix })}
        action={t("keys.renameDo")}
        harmless
        draft={name}
        onConfirm={async () => {
          await rename.mutateAsync({ params: { ...params, prefix: renaming?.prefix ?? "" }, body: { name } });
          notify(t("keys.renamed"));
        }}
      >
        <KeyName name={name} onChange={setName} />
      </Confirm>
      <SecretOnce
        title={t("keys.newKey")}
        secret={isRotating || isAdding ? null : (rotate.data?.api_key ?? add.data?.api_key ?? null)}
        onDone={() => {
          rotate.reset();
          add.reset();
        }}
      >
        {t("keys.newKeyWords", { name: product.name })}
      </SecretOnce>
    </Panel>
  );
}

function UnusedKeys({ keys }: { keys: readonly ApiKey[] }) {
  const { t } = useTranslation("products");
  if (keys.length === 0) return null;
  const names = keys.map((key) => (key.name === "" ? key.prefix : key.name)).join(", ");
  return (
    <Alert
      color="orange"
      mb="md"
      icon={<Icon name="warning" />}
      title={t("keys.unusedTitle", { count: keys.length })}
    >
      {t("keys.unusedWords", { names })}
    </Alert>
  );
}

function KeyName({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  const { t } = useTranslation("products");
  return (
    <TextInput
      label={t("keys.name")}
      description={t("keys.nameHint")}
      value={name}
      maxLength={100}
      data-autofocus
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function overlapWords(seconds: number | null) {
  if (seconds === null) return "keys.overlapOpen";
  return seconds === 0 ? "keys.overlapNone" : "keys.overlapSome";
}

function KeyPrefix({ prefix }: { prefix: string }) {
  return <span className="mono oneLine">{prefix}_…</span>;
}

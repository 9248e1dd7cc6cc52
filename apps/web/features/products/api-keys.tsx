import { ActionIcon, Alert, Badge, Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { List } from "../../ui/list.tsx";
import { notify } from "../../ui/notify.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { Panel } from "../../ui/section.tsx";
import { ListTime } from "../../ui/time.tsx";
import type { Field } from "../../ui/use-form.tsx";
import type { Product } from "./frame/use-product.ts";
import { useRotation } from "./rotation.tsx";

type ApiKey = Product["api_keys"][number];

/** The API keys of apps, and how to rotate them without downtime. */
export function ApiKeys({ product, mayRotate }: { product: Product; mayRotate: boolean }) {
  const { t } = useTranslation("products");
  const newKey = useNewKey(product);
  const renaming = useRenaming(product);
  const revocation = useRevocation(product);
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
              onClick={newKey.askToRotate}
            >
              {t("keys.rotate")}
            </Button>
            <Button leftSection={<Icon name="plus" size={16} />} onClick={newKey.askToAdd}>
              {t("keys.add")}
            </Button>
          </Group>
        )
      }
    >
      <UnusedKeys keys={product.api_keys.filter((key) => key.is_unused)} />
      <List
        label={t("keys.title")}
        rows={product.api_keys}
        keyOf={(key) => key.prefix}
        columns={[
          {
            header: t("keys.prefix"),
            cell: (key) => (
              <Stack gap={0}>
                <Text inherit {...(key.name === "" ? { c: "dimmed" } : {})}>
                  {key.name === "" ? t("keys.unnamed") : key.name}
                </Text>
                <span className="mono oneLine">{key.prefix}_…</span>
                <Text component="div" size="xs" c="dimmed" hiddenFrom="sm">
                  {t("keys.valid")} {validUntil(key)}
                </Text>
              </Stack>
            ),
          },
          {
            header: t("keys.lastUsed"),
            cell: (key) => (
              <Stack gap={4} align="flex-start">
                {key.last_used_at === null ? t("keys.never") : <ListTime at={key.last_used_at} />}
                {key.is_unused && (
                  <Badge size="md" color="orange">
                    {t("keys.unused")}
                  </Badge>
                )}
              </Stack>
            ),
          },
          { header: t("keys.valid"), wide: true, cell: validUntil },
          { header: t("created"), wide: true, at: (key) => key.created_at },
          mayRotate && {
            header: t("keys.revokeNow"),
            isHeaderHidden: true,
            align: "right",
            cell: (key) => (
              <KeyActions
                prefix={key.prefix}
                onRename={() => renaming.ask(key)}
                onRevoke={key.expires_at !== null || lasting > 1 ? () => revocation.ask(key) : null}
              />
            ),
          },
        ]}
        empty={null}
      />
      {newKey.dialogs}
      {renaming.dialog}
      {revocation.dialog}
    </Panel>
  );
}

/** Creates a key, in addition to the others or to replace the current one. It is shown once. */
function useNewKey(product: Product) {
  const { t } = useTranslation("products");
  const [name, setName] = useState("");
  const add = useChange("createApiKey");
  const rotate = useChange("rotateApiKey");
  const params = { product_id: product.id };
  const rotation = useRotation<number | null>("keys", {
    overlaps: [0, 3_600, 86_400, 259_200, 604_800, 2_592_000, 7_776_000, null],
    usualOverlap: 86_400,
    rotate: (overlapSeconds) => rotate.mutateAsync({ params, body: { overlap_seconds: overlapSeconds } }),
  });
  const addition = useConfirm(() => ({
    title: t("keys.add"),
    action: t("keys.addDo"),
    harmless: true,
    draft: name,
    onConfirm: () => add.mutateAsync({ params, body: { name } }),
    children: (
      <Stack gap="sm">
        <Text>{t("keys.addWords")}</Text>
        <NameField value={name} onChange={setName} />
      </Stack>
    ),
  }));
  const isAsking = rotation.isOpen || addition.isOpen;
  return {
    askToRotate: () => rotation.ask(),
    askToAdd: () => {
      setName("");
      addition.ask();
    },
    dialogs: (
      <>
        {rotation.dialog}
        {addition.dialog}
        <SecretOnce
          title={t("keys.newKey")}
          secret={isAsking ? null : (rotate.data?.api_key ?? add.data?.api_key ?? null)}
          onDone={() => {
            rotate.reset();
            add.reset();
          }}
        >
          {t("keys.newKeyWords", { name: product.name })}
        </SecretOnce>
      </>
    ),
  };
}

function useRenaming(product: Product) {
  const { t } = useTranslation("products");
  const [name, setName] = useState("");
  const rename = useChange("updateApiKey");
  const { ask, dialog } = useConfirm(({ prefix }: ApiKey) => ({
    title: t("keys.renameTitle", { prefix }),
    action: t("keys.renameDo"),
    harmless: true,
    draft: name,
    onConfirm: async () => {
      await rename.mutateAsync({ params: { product_id: product.id, prefix }, body: { name } });
      notify(t("keys.renamed"));
    },
    children: <NameField value={name} onChange={setName} />,
  }));
  return {
    dialog,
    ask: (key: ApiKey) => {
      setName(key.name);
      ask(key);
    },
  };
}

function NameField(field: Field<string>) {
  const { t } = useTranslation("products");
  return (
    <TextField
      {...field}
      label={t("keys.name")}
      description={t("keys.nameHint")}
      maxLength={100}
      data-autofocus
    />
  );
}

function useRevocation(product: Product) {
  const { t } = useTranslation("products");
  const revoke = useChange("endApiKey");
  return useConfirm(({ prefix, last_used_at: lastUsedAt }: ApiKey) => ({
    title: t("keys.revokeQuestion", { prefix }),
    action: t("keys.revokeNow"),
    onConfirm: async () => {
      await revoke.mutateAsync({ params: { product_id: product.id, prefix } });
      notify(t("keys.revoked", { prefix }));
    },
    children: (
      <Stack gap="xs">
        <Text>{t("keys.revokeWords")}</Text>
        <Text fw={600}>
          {lastUsedAt === null ? (
            t("keys.revokeNeverUsed")
          ) : (
            <>
              {t("keys.revokeLastUsed")} <ListTime at={lastUsedAt} />
            </>
          )}
        </Text>
      </Stack>
    ),
  }));
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

interface KeyActionsProps {
  readonly prefix: string;
  readonly onRename: () => void;
  /** Null for the last key that does not expire. */
  readonly onRevoke: (() => void) | null;
}

/** What can be done with one API key: in words, and on a phone, where these have no room, as icons. */
function KeyActions({ prefix, onRename, onRevoke }: KeyActionsProps) {
  const { t } = useTranslation("products");
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Action
        text={t("keys.rename")}
        label={t("keys.renameOf", { prefix })}
        icon="edit"
        color="inherit"
        act={onRename}
      />
      {onRevoke !== null && (
        <Action
          text={t("keys.revokeNow")}
          label={t("keys.revokeNowOf", { prefix })}
          icon="close"
          color="var(--mantine-color-error)"
          act={onRevoke}
        />
      )}
    </Group>
  );
}

interface ActionProps {
  readonly text: string;
  readonly label: string;
  readonly icon: IconName;
  readonly color: string;
  readonly act: () => void;
}

function Action({ text, label, icon, color, act }: ActionProps) {
  return (
    <>
      <Button visibleFrom="sm" size="compact-sm" variant="default" c={color} onClick={act} aria-label={label}>
        {text}
      </Button>
      <Tooltip label={label}>
        <ActionIcon hiddenFrom="sm" size="md" variant="default" c={color} onClick={act} aria-label={label}>
          <Icon name={icon} size={15} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}

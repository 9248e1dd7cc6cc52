import { dayMs } from "@countersign/domain/dates/lengths";
import { type Permission, sortedPermissions } from "@countersign/domain/members/permissions";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Body } from "../../api/client.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Form, StickyBar } from "../../ui/form.tsx";
import { PermissionPicker } from "../../ui/permission-picker.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { exactTime } from "../../ui/time.tsx";
import { DateTimeField, fromLocal } from "../../ui/time-fields.tsx";
import { useForm } from "../../ui/use-form.tsx";
import { ProofFields, useProof } from "../account/proof.tsx";

const lifetimes = { month: 30, quarter: 90, year: 365 } as const;
const lifetimeChoices = ["month", "quarter", "year", "date", "never"] as const;
type Lifetime = (typeof lifetimeChoices)[number];

interface TokenDraft {
  readonly name: string;
  readonly lifetime: Lifetime;
  /** Empty unless it is the end. */
  readonly date: string;
  readonly permissions: readonly Permission[];
}

interface TokenFormProps {
  readonly held: ReadonlySet<Permission>;
  readonly create: (body: Body<"createMyAccessToken">) => Promise<{ token: string }>;
  readonly onDone: () => unknown;
}

export function TokenForm({ held, create, onDone }: TokenFormProps) {
  const { t, i18n } = useTranslation("access-tokens");
  const proof = useProof();
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm<TokenDraft>({
    start: { name: "", lifetime: "quarter", date: "", permissions: [] },
    send: async ({ name, lifetime, date, permissions }) => {
      const proven = await proof.prove();
      if (proven === null) return;
      const expires_at = endOf(lifetime, date);
      const created = await create({ name, permissions: [...permissions], expires_at, ...proven });
      setSecret(created.token);
    },
  });
  const { lifetime, date, permissions } = form.values;
  const endsAt = endOf(lifetime, date);
  const endError = fieldError(form.error, "expires_at");
  return (
    <Form {...form.props}>
      <Stack mt="md">
        <Group align="flex-start" grow preventGrowOverflow={false} maw={720}>
          <TextField
            {...form.field("name")}
            label={t("form.name")}
            description={t("form.nameWords")}
            required
            maxLength={100}
            autoFocus
          />
          <SelectField
            {...form.field("lifetime")}
            label={t("form.lifetime")}
            description={
              endsAt === null || lifetime === "date"
                ? t(`form.${lifetime}Words`)
                : exactTime(endsAt, i18n.language)
            }
            values={lifetimeChoices}
            words={(value) => t(`form.${value}`)}
            error={lifetime === "date" ? null : endError}
          />
        </Group>
        {lifetime === "date" && (
          <DateTimeField
            {...form.field("date")}
            label={t("form.until")}
            required
            maw={352}
            error={endError}
          />
        )}
        <Stack gap={2}>
          <Text fw={600} size="sm">
            {t("form.permissions")}
          </Text>
          <Dimmed>{t("form.permissionsWords")}</Dimmed>
        </Stack>
        <PermissionPicker
          value={new Set(permissions)}
          onChange={(chosen) => form.set({ permissions: sortedPermissions(chosen) })}
          held={held}
        />
        <ProofFields proof={proof} error={form.error} description={t("form.passwordWords")} />
        <ProblemAlert error={form.error} beside={["name", "expires_at", "password", "code"]} />
        <StickyBar shown>
          <Group gap="sm">
            <Button type="submit" loading={form.isBusy} disabled={permissions.length === 0}>
              {t("form.do")}
            </Button>
            <Dimmed>
              {permissions.length === 0 ? t("form.none") : t("form.selected", { count: permissions.length })}
            </Dimmed>
          </Group>
        </StickyBar>
      </Stack>
      <SecretOnce title={t("created.title")} secret={secret} onDone={onDone}>
        {t("created.words")}
      </SecretOnce>
    </Form>
  );
}

function endOf(lifetime: Lifetime, date: string): string | null {
  switch (lifetime) {
    case "never":
      return null;
    case "date":
      return fromLocal(date);
    case "month":
    case "quarter":
    case "year":
      return new Date(Date.now() + lifetimes[lifetime] * dayMs).toISOString();
  }
}

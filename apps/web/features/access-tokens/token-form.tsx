import { dayMs } from "@countersign/domain/dates/lengths";
import { type Permission, sortedPermissions } from "@countersign/domain/members/permissions";
import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Body } from "../../api/client.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Form, StickyBar } from "../../ui/form.tsx";
import { PermissionPicker } from "../../ui/permission-picker.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { exactTime } from "../../ui/time.tsx";
import { DateTimeField, fromLocal } from "../../ui/time-fields.tsx";
import { ProofFields, useProof } from "../account/proof.tsx";

const lifetimes = { month: 30, quarter: 90, year: 365 } as const;
const choices = ["month", "quarter", "year", "date", "never"] as const;
type Choice = (typeof choices)[number];

interface TokenFormProps {
  readonly held: ReadonlySet<Permission>;
  readonly error: Error | null;
  readonly create: (body: Body<"createMyAccessToken">) => Promise<{ token: string }>;
  readonly onDone: () => unknown;
}

export function TokenForm({ held, error, create, onDone }: TokenFormProps) {
  const { t, i18n } = useTranslation("access-tokens");
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState<Choice>("quarter");
  const [date, setDate] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<Permission>>(new Set());
  const proof = useProof();
  const [unproven, setUnproven] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const endsAt = endOf(lifetime, date);
  const submit = async () => {
    setBusy(true);
    try {
      const permissions = sortedPermissions(chosen);
      setUnproven(null);
      const proven = await proof.prove().catch((problem) => {
        setUnproven(problem);
        return null;
      });
      if (proven === null) return;
      const made = await create({ name, permissions, expires_at: endsAt, ...proven });
      setSecret(made.token);
    } catch {
      // The form shows the reason.
    } finally {
      setBusy(false);
    }
  };
  return (
    <Form onSubmit={submit} typed={[name, lifetime, date, sortedPermissions(chosen)]} error={error}>
      <Stack mt="md">
        <Group align="flex-start" grow preventGrowOverflow={false} maw={720}>
          <TextInput
            label={t("form.name")}
            description={t("form.nameWords")}
            required
            maxLength={100}
            autoFocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={fieldError(error, "name")}
          />
          <Select
            label={t("form.lifetime")}
            description={
              endsAt === null || lifetime === "date"
                ? t(`form.${lifetime}Words`)
                : exactTime(endsAt, i18n.language)
            }
            data={choices.map((value) => ({ value, label: t(`form.${value}`) }))}
            value={lifetime}
            onChange={(value) => setLifetime((value as Choice | null) ?? "quarter")}
            allowDeselect={false}
            error={lifetime === "date" ? null : fieldError(error, "expires_at")}
          />
        </Group>
        {lifetime === "date" && (
          <DateTimeField
            label={t("form.until")}
            required
            maw={352}
            value={date}
            onChange={setDate}
            error={fieldError(error, "expires_at")}
          />
        )}
        <Stack gap={2}>
          <Text fw={600} size="sm">
            {t("form.permissions")}
          </Text>
          <Dimmed>{t("form.permissionsWords")}</Dimmed>
        </Stack>
        <PermissionPicker value={chosen} onChange={setChosen} held={held} />
        <ProofFields proof={proof} error={unproven ?? error} description={t("form.passwordWords")} />
        <ProblemAlert error={unproven ?? error} beside={["name", "expires_at", "password", "code"]} />
        <StickyBar shown>
          <Group gap="sm">
            <Button type="submit" loading={isBusy} disabled={chosen.size === 0}>
              {t("form.do")}
            </Button>
            <Dimmed>{chosen.size === 0 ? t("form.none") : t("form.selected", { count: chosen.size })}</Dimmed>
          </Group>
        </StickyBar>
      </Stack>
      <SecretOnce title={t("created.title")} secret={secret} onDone={onDone}>
        {t("created.words")}
      </SecretOnce>
    </Form>
  );
}

function endOf(lifetime: Choice, date: string): string | null {
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

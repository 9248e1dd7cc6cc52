import { NumberInput, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { Choice } from "../../ui/fields.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import type { FieldsProps } from "./new-draft.ts";
import { emailsOf, quantities } from "./new-draft.ts";

/** The customers of the new licenses, and the number of licenses. */
export function CustomerFields({ draft, set, error }: FieldsProps) {
  const { t } = useTranslation("licenses");
  return (
    <Stack gap="sm">
      <Choice
        label={t("new.quantity")}
        values={quantities}
        words={(quantity) => t(`new.quantities.${quantity}`)}
        value={draft.quantity}
        onChange={(quantity) => set({ quantity })}
      />
      {draft.quantity === "list" ? (
        <EmailList draft={draft} set={set} error={error} />
      ) : (
        <>
          {draft.quantity === "several" && (
            <NumberInput
              label={t("new.count")}
              value={draft.count}
              min={1}
              max={10_000}
              allowDecimal={false}
              thousandSeparator=" "
              required
              error={fieldError(error, "count")}
              onChange={(count) => set({ count })}
            />
          )}
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
            <TextInput
              label={t("fields.customer_email")}
              type="email"
              placeholder="ada@example.com"
              autoComplete="off"
              autoFocus
              value={draft.email}
              error={fieldError(error, "customer_email")}
              onChange={(event) => set({ email: event.currentTarget.value })}
            />
            <TextInput
              label={t("fields.customer_name")}
              autoComplete="off"
              value={draft.name}
              error={fieldError(error, "customer_name")}
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
          </SimpleGrid>
          <TextInput
            label={t("fields.customer_discord_id")}
            description={t("new.discordHint")}
            inputMode="numeric"
            autoComplete="off"
            value={draft.discordId}
            error={fieldError(error, "customer_discord_id")}
            onChange={(event) => set({ discordId: event.currentTarget.value })}
          />
        </>
      )}
    </Stack>
  );
}

function EmailList({ draft, set, error }: FieldsProps) {
  const { t } = useTranslation("licenses");
  const emails = emailsOf(draft.emails);
  const twice = emails.length - new Set(emails.map((email) => email.toLowerCase())).size;
  return (
    <div>
      <Textarea
        label={t("new.emails")}
        description={t("new.emailsHint")}
        placeholder={"ada@example.com\ngrace@example.com"}
        autosize
        minRows={5}
        maxRows={14}
        spellCheck={false}
        autoFocus
        required
        value={draft.emails}
        error={wrongEmail(error, emails)}
        onChange={(event) => set({ emails: event.currentTarget.value })}
      />
      <Text size="sm" c="dimmed" mt={4} role="status">
        {t("new.emailCount", { count: emails.length })}
        {twice > 0 && ` ${t("new.emailsTwice", { count: twice })}`}
      </Text>
    </div>
  );
}

export const inList = /^licenses\.(\d+)\.customer_email$/;

/** The server names the index in the list; users look for the email address. */
function wrongEmail(error: Error | null, emails: readonly string[]): string | null {
  if (!(error instanceof ApiProblem)) return null;
  const lines = error.errors.flatMap(({ field, message }) => {
    const place = inList.exec(field)?.[1];
    return place === undefined ? [] : [`${emails[Number(place)] ?? ""}: ${message}`];
  });
  return lines.length === 0 ? null : lines.slice(0, 5).join("\n");
}

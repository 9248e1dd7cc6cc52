import { ActionIcon, Button, Group, Input, Stack, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { randomId } from "../../api/send.ts";
import { Icon } from "../../ui/icon.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import type { HeaderDraft } from "./webhook-draft.ts";
import classes from "./webhooks.module.css";

const most = 20;

interface HeaderFieldsProps {
  readonly headers: readonly HeaderDraft[];
  readonly onChange: (headers: readonly HeaderDraft[]) => void;
  readonly error: Error | null;
}

/** Custom headers. The server does not return their values; they are kept, replaced or removed. */
export function HeaderFields({ headers, onChange, error }: HeaderFieldsProps) {
  const { t } = useTranslation("webhooks");
  const change = (row: string, changes: Partial<HeaderDraft>) =>
    onChange(headers.map((header) => (header.row === row ? { ...header, ...changes } : header)));
  return (
    <Input.Wrapper
      labelElement="div"
      label={t("form.headers")}
      description={t("form.headersWords")}
      error={fieldError(error, "headers")}
    >
      <Stack gap="xs" mt={6}>
        {headers.map(({ row, name, value }) => {
          const isUnchanged = value === null;
          return (
            <div key={row} className={classes.header}>
              <TextInput
                aria-label={t("form.headerName")}
                placeholder="authorization"
                classNames={{ input: "mono" }}
                value={name}
                readOnly={isUnchanged}
                onChange={(event) => change(row, { name: event.currentTarget.value })}
                error={fieldError(error, `headers.${name}`)}
              />
              <TextInput
                className={classes.headerValue ?? ""}
                aria-label={t("form.headerValue", { name })}
                placeholder={isUnchanged ? t("form.headerUnchanged") : t("form.value")}
                classNames={{ input: "mono" }}
                autoComplete="off"
                value={value ?? ""}
                onChange={(event) => change(row, { value: event.currentTarget.value })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={t("form.removeHeader", { name })}
                onClick={() => onChange(headers.filter((header) => header.row !== row))}
              >
                <Icon name="close" size={15} />
              </ActionIcon>
            </div>
          );
        })}
        {headers.length < most && (
          <Group>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => onChange([...headers, { row: randomId(), name: "", value: "" }])}
            >
              {t("form.addHeader")}
            </Button>
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

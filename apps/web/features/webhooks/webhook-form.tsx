import {
  ActionIcon,
  Button,
  Checkbox,
  Fieldset,
  Group,
  Input,
  MultiSelect,
  Radio,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { randomId } from "../../api/send.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { SwitchField, TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import { type Field, FormProblem, useForm } from "../../ui/use-form.tsx";
import {
  type ChoosableType,
  formatOf,
  type HeaderDraft,
  typesByGroup,
  type WebhookDraft,
} from "./webhook-draft.ts";
import type { Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

interface WebhookFormProps {
  readonly start: WebhookDraft;
  readonly action: string;
  readonly send: (draft: WebhookDraft) => Promise<unknown>;
  readonly autoFocus?: boolean;
  /** Shown next to the button. */
  readonly children?: ReactNode;
}

const formats: readonly Webhook["format"][] = ["standard", "discord", "slack"];

/** The settings of an endpoint: URL, events, products and headers. */
export function WebhookForm({ start, action, send, autoFocus = false, children }: WebhookFormProps) {
  const { t } = useTranslation("webhooks");
  const form = useForm({ start, send });
  const [hasChosenFormat, setChosenFormat] = useState(start.url !== "");
  const { format, headers } = form.values;
  return (
    // The tabs are in the URL's search, so switching tabs also leaves the form.
    <Form {...form.props} goesWithSearch>
      <Stack gap="lg">
        <FormProblem form={form} />
        <TextField
          {...form.field("url")}
          onChange={(url) => {
            const implied = hasChosenFormat ? null : formatOf(url);
            form.set({ url, format: implied ?? format });
          }}
          label={t("form.url")}
          description={t("form.urlWords")}
          placeholder="https://example.com/countersign"
          type="url"
          required
          autoFocus={autoFocus}
          classNames={{ input: "mono" }}
        />
        <TextField
          {...form.field("description")}
          label={t("form.description")}
          description={t("form.descriptionWords")}
          maxLength={500}
        />
        <Input.Wrapper
          labelElement="div"
          label={t("form.format")}
          labelProps={{ id: "webhook-format" }}
          error={form.field("format").error}
        >
          <div>
            <SegmentedControl
              aria-labelledby="webhook-format"
              mt={4}
              data={formats.map((value) => ({ value, label: t(`formats.${value}.name`) }))}
              value={format}
              onChange={(chosen) => {
                setChosenFormat(true);
                form.set({ format: formats.find((one) => one === chosen) ?? format });
              }}
            />
          </div>
          <Dimmed size="xs" mt={4}>
            {t(`formats.${format}.words`)}
          </Dimmed>
        </Input.Wrapper>
        <EventTypeChoice {...form.field("event_types")} />
        <ProductChoice {...form.field("product_ids")} />
        <HeaderFields
          headers={headers}
          onChange={(changed) => form.set({ headers: changed })}
          error={form.error}
        />
        <SwitchField
          {...form.field("auto_reenable")}
          label={t("form.autoReenable")}
          description={t("form.autoReenableWords")}
        />
        <Group>
          <Button type="submit" loading={form.isBusy}>
            {action}
          </Button>
          {children}
        </Group>
      </Stack>
    </Form>
  );
}

/** All event types, including future ones, or a selection with descriptions. */
function EventTypeChoice({ value: chosen, onChange, error }: Field<WebhookDraft["event_types"]>) {
  const { t } = useTranslation("webhooks");
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t("form.events")}
        error={error}
        value={chosen === null ? "all" : "some"}
        onChange={(value) => onChange(value === "all" ? null : [])}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label={t("form.allEvents")} description={t("form.allEventsWords")} />
          <Radio value="some" label={t("form.someEvents")} />
        </Stack>
      </Radio.Group>
      {chosen !== null && (
        <div className={classes.groups}>
          {typesByGroup.map(({ group, types }) => (
            <TypeGroup key={group} group={group} types={types} chosen={chosen} onChange={onChange} />
          ))}
        </div>
      )}
    </Stack>
  );
}

interface GroupProps {
  readonly group: string;
  readonly types: readonly ChoosableType[];
  readonly chosen: readonly ChoosableType[];
  readonly onChange: (chosen: readonly ChoosableType[]) => void;
}

function TypeGroup({ group, types, chosen, onChange }: GroupProps) {
  const { t, i18n } = useTranslation("webhooks");
  const count = types.filter((type) => chosen.includes(type)).length;
  const set = (changed: readonly ChoosableType[], isOn: boolean) =>
    onChange([...chosen.filter((type) => !changed.includes(type)), ...(isOn ? changed : [])]);
  return (
    <Fieldset className={classes.group ?? ""}>
      <Checkbox
        label={<Text fw={600}>{t(`groups.${group}`)}</Text>}
        checked={count === types.length}
        indeterminate={count > 0 && count < types.length}
        onChange={(event) => set(types, event.currentTarget.checked)}
        mb="xs"
      />
      <Stack gap={8} pl="lg">
        {types.map((type) => (
          <Checkbox
            key={type}
            size="xs"
            checked={chosen.includes(type)}
            onChange={(event) => set([type], event.currentTarget.checked)}
            label={
              <Group gap={6}>
                <span>{t(`types.${type}`)}</span>
                <Dimmed span size="xs" className="mono">
                  {type}
                </Dimmed>
              </Group>
            }
            description={i18n.exists(`webhooks:typeHints.${type}`) ? t(`typeHints.${type}`) : undefined}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}

/** The products whose events are sent. Without permission to see products, it stays unchanged. */
function ProductChoice({ value: chosen, onChange, error }: Field<WebhookDraft["product_ids"]>) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const maySee = useMay()("products:view", "products:manage", "products:rotate_key");
  const products = useQuery({
    ...ask("listProducts", { params: { organization_id: id }, query: { limit: 200 } }),
    enabled: maySee,
  });
  if (!maySee) return null;
  const known = (products.data?.data ?? []).map(({ id: value, name: label }) => ({ value, label }));
  const unknown = (chosen ?? []).filter((one) => !known.some(({ value }) => value === one));
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t("form.products")}
        value={chosen === null ? "all" : "some"}
        onChange={(value) => onChange(value === "all" ? null : [])}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label={t("form.allProducts")} />
          <Radio value="some" label={t("form.someProducts")} description={t("form.someProductsWords")} />
        </Stack>
      </Radio.Group>
      {chosen !== null && (
        <MultiSelect
          aria-label={t("form.products")}
          placeholder={chosen.length === 0 ? t("form.chooseProducts") : ""}
          data={[...known, ...unknown.map((value) => ({ value, label: value }))]}
          value={[...chosen]}
          onChange={onChange}
          error={error}
          searchable
        />
      )}
    </Stack>
  );
}

const maxHeaders = 20;

interface HeaderFieldsProps {
  readonly headers: readonly HeaderDraft[];
  readonly onChange: (headers: readonly HeaderDraft[]) => void;
  readonly error: Error | null;
}

/** Custom headers. The server does not return their values; they are kept, replaced or removed. */
function HeaderFields({ headers, onChange, error }: HeaderFieldsProps) {
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
                size={36}
                aria-label={t("form.removeHeader", { name })}
                onClick={() => onChange(headers.filter((header) => header.row !== row))}
              >
                <Icon name="close" size={15} />
              </ActionIcon>
            </div>
          );
        })}
        {headers.length < maxHeaders && (
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

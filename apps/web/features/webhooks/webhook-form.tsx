import { Button, Group, Input, SegmentedControl, Stack, Switch, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { Form } from "../../ui/form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { EventTypeChoice } from "./event-type-choice.tsx";
import { HeaderFields } from "./header-fields.tsx";
import { ProductChoice } from "./product-choice.tsx";
import { formatOf, type WebhookDraft } from "./webhook-draft.ts";
import type { Webhook } from "./webhook-state.tsx";

interface WebhookFormProps {
  readonly start: WebhookDraft;
  readonly action: string;
  readonly error: Error | null;
  readonly isBusy: boolean;
  readonly onSubmit: (draft: WebhookDraft) => void;
  readonly autoFocus?: boolean;
  /** Shown next to the button. */
  readonly children?: ReactNode;
}

const formats: readonly Webhook["format"][] = ["standard", "discord", "slack"];

/** The settings of an endpoint: URL, events, products and headers. */
export function WebhookForm(props: WebhookFormProps) {
  const { start, action, error, isBusy, onSubmit, autoFocus = false, children } = props;
  const { t } = useTranslation("webhooks");
  const [draft, setDraft] = useState(start);
  const [hasChosenFormat, setChosenFormat] = useState(start.url !== "");
  const set = (changes: Partial<WebhookDraft>) => setDraft((before) => ({ ...before, ...changes }));
  return (
    // The tabs are in the URL's search, so switching tabs also leaves the form.
    <Form onSubmit={() => onSubmit(draft)} typed={draft} error={error} goesWithSearch>
      <Stack gap="lg">
        <ProblemAlert error={error} beside={besideFields(error)} />
        <TextInput
          label={t("form.url")}
          description={t("form.urlWords")}
          placeholder="https://example.com/countersign"
          type="url"
          required
          autoFocus={autoFocus}
          classNames={{ input: "mono" }}
          value={draft.url}
          onChange={(event) => {
            const url = event.currentTarget.value;
            const format = hasChosenFormat ? null : formatOf(url);
            set({ url, ...(format === null ? {} : { format }) });
          }}
          error={fieldError(error, "url")}
        />
        <TextInput
          label={t("form.description")}
          description={t("form.descriptionWords")}
          maxLength={500}
          value={draft.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={fieldError(error, "description")}
        />
        <Input.Wrapper
          labelElement="div"
          label={t("form.format")}
          labelProps={{ id: "webhook-format" }}
          error={fieldError(error, "format")}
        >
          <div>
            <SegmentedControl
              aria-labelledby="webhook-format"
              mt={4}
              data={formats.map((value) => ({ value, label: t(`formats.${value}.name`) }))}
              value={draft.format}
              onChange={(format) => {
                setChosenFormat(true);
                set({ format: format as Webhook["format"] });
              }}
            />
          </div>
          <Text size="xs" c="dimmed" mt={4}>
            {t(`formats.${draft.format}.words`)}
          </Text>
        </Input.Wrapper>
        <EventTypeChoice
          chosen={draft.eventTypes}
          onChange={(eventTypes) => set({ eventTypes })}
          error={fieldError(error, "event_types")}
        />
        <ProductChoice
          chosen={draft.productIds}
          onChange={(productIds) => set({ productIds })}
          error={fieldError(error, "product_ids") ?? fieldError(error, "product_ids.0")}
        />
        <HeaderFields headers={draft.headers} onChange={(headers) => set({ headers })} error={error} />
        <Switch
          label={t("form.autoReenable")}
          description={t("form.autoReenableWords")}
          checked={draft.autoReenable}
          onChange={(event) => set({ autoReenable: event.currentTarget.checked })}
        />
        <Group>
          <Button type="submit" loading={isBusy}>
            {action}
          </Button>
          {children}
        </Group>
      </Stack>
    </Form>
  );
}

/** The errors that are shown at a field. */
function besideFields(error: Error | null): string[] {
  const own = /^(url|description|format|event_types|product_ids(\.0)?|headers(\..+)?)$/;
  return error instanceof ApiProblem ? error.errors.map(({ field }) => field).filter((f) => own.test(f)) : [];
}

import { Box, Button, Group, NumberInput, Radio, Stack, TextInput } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { Choice } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { Panel } from "../../ui/section.tsx";
import { useProduct } from "../products/frame/use-product.ts";
import { type Change, changeOf, type Draft, dayChoices, firstDraft } from "./draft.ts";
import { ShadowResult } from "./result.tsx";
import { changeTypes } from "./search.ts";

const shadowRoute = getRouteApi("/signed-in/o/$organization/products/$productId/shadow");

/** Tries a change against past requests, before it is made. */
export function ShadowTab() {
  const { t } = useTranslation("shadow");
  const product = useProduct();
  const search = shadowRoute.useSearch();
  const [draft, setDraft] = useState(() => firstDraft(search));
  const [tried, setTried] = useState<{ readonly change: Change; readonly days: number } | null>(null);
  const shadow = useChange("shadowProduct");
  const change = changeOf(draft);
  const submit = async () => {
    if (change === null) return;
    try {
      await shadow.mutateAsync({
        params: { product_id: product.id },
        body: { change, days: draft.days },
      });
      setTried({ change, days: draft.days });
    } catch {}
  };
  return (
    <>
      <Panel title={t("title")} lead={t("lead")}>
        {/* Nothing is lost by leaving: the form changes nothing. */}
        <Form onSubmit={submit} typed={null} error={shadow.error}>
          <Stack gap="md">
            <Radio.Group
              label={t("change.label")}
              value={draft.type}
              onChange={(type) =>
                setDraft({ ...draft, type: changeTypes.find((one) => one === type) ?? draft.type })
              }
            >
              <Stack gap="xs" mt={6}>
                {changeTypes.map((type) => (
                  <Radio
                    key={type}
                    value={type}
                    label={t(`change.${type}.label`)}
                    description={t(`change.${type}.words`)}
                  />
                ))}
              </Stack>
            </Radio.Group>
            <ValueField draft={draft} onChange={setDraft} error={shadow.error} />
            <Box maw={560}>
              <Choice
                label={t("days.label")}
                values={dayChoices.map(String)}
                words={(days) => t("days.count", { count: Number(days) })}
                value={String(draft.days)}
                onChange={(days) => setDraft({ ...draft, days: Number(days) })}
              />
            </Box>
            <ProblemAlert error={shadow.error} beside={["change.max_ips", "change.version", "change.cidr"]} />
            <Group>
              <Button
                type="submit"
                loading={shadow.isPending}
                disabled={change === null}
                leftSection={<Icon name="play" size={15} />}
              >
                {t("try")}
              </Button>
            </Group>
          </Stack>
        </Form>
      </Panel>
      {/* Announced when it arrives. */}
      <Box role="status" mt="lg">
        {shadow.data !== undefined && tried !== null && (
          <ShadowResult product={product} change={tried.change} days={tried.days} result={shadow.data} />
        )}
      </Box>
    </>
  );
}

interface ValueFieldProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly error: Error | null;
}

function ValueField({ draft, onChange, error }: ValueFieldProps) {
  const { t } = useTranslation("shadow");
  switch (draft.type) {
    case "max_ips":
      return (
        <NumberInput
          label={t("change.max_ips.value")}
          maw={220}
          min={1}
          max={1_000_000}
          allowDecimal={false}
          value={draft.maxIps}
          onChange={(maxIps) => onChange({ ...draft, maxIps })}
          error={fieldError(error, "change.max_ips")}
        />
      );
    case "registration":
      return null;
    case "block_version":
      return (
        <TextInput
          label={t("change.block_version.value")}
          description={t("change.block_version.hint")}
          maw={320}
          placeholder="2.1.x"
          value={draft.version}
          onChange={(event) => onChange({ ...draft, version: event.currentTarget.value })}
          error={fieldError(error, "change.version")}
        />
      );
    case "block_ip":
      return (
        <TextInput
          label={t("change.block_ip.value")}
          maw={320}
          placeholder="203.0.113.0/24"
          value={draft.cidr}
          onChange={(event) => onChange({ ...draft, cidr: event.currentTarget.value })}
          error={fieldError(error, "change.cidr")}
        />
      );
  }
}

import { Box, Button, Group, Stack } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { Choice, TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import { RadioField } from "../../ui/radio-field.tsx";
import { Panel } from "../../ui/section.tsx";
import { FormProblem, type FormState, useForm } from "../../ui/use-form.tsx";
import { useProduct } from "../products/frame/use-product.ts";
import { type Change, ShadowResult } from "./result.tsx";
import { type ChangeType, changeTypes, type ShadowSearch } from "./search.ts";

const shadowRoute = getRouteApi("/signed-in/o/$organization/products/$productId/shadow");

/** Tries a change against past requests, before it is made. */
export function ShadowTab() {
  const { t } = useTranslation("shadow");
  const product = useProduct();
  const search = shadowRoute.useSearch();
  const [tried, setTried] = useState<{ readonly change: Change; readonly days: number } | null>(null);
  const shadow = useChange("shadowProduct");
  const form = useForm<Draft>({
    start: firstDraft(search),
    send: async (draft) => {
      const change = changeOf(draft);
      if (change === null) return;
      const days = Number(draft.days);
      await shadow.mutateAsync({ params: { product_id: product.id }, body: { change, days } });
      setTried({ change, days });
    },
  });
  return (
    <>
      <Panel title={t("title")} lead={t("lead")}>
        {/* Nothing is lost by leaving: the form changes nothing. */}
        <Form {...form.props} typed={null} base={undefined}>
          <Stack gap="md">
            <RadioField
              {...form.field("type")}
              label={t("change.label")}
              values={changeTypes}
              words={(type) => t(`change.${type}.label`)}
              hint={(type) => t(`change.${type}.words`)}
            />
            <ValueField form={form} />
            <Box maw={560}>
              <Choice
                {...form.field("days")}
                label={t("days.label")}
                values={dayChoices}
                words={(days) => t("days.count", { count: Number(days) })}
              />
            </Box>
            <FormProblem form={form} beside={["change.max_ips", "change.version", "change.cidr"]} />
            <Group>
              <Button
                type="submit"
                loading={form.isBusy}
                disabled={changeOf(form.values) === null}
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

function ValueField({ form }: { form: FormState<Draft> }) {
  const { t } = useTranslation("shadow");
  const field = <Name extends "max_ips" | "version" | "cidr">(name: Name) => ({
    ...form.field(name),
    error: fieldError(form.error, `change.${name}`),
  });
  switch (form.values.type) {
    case "max_ips":
      return (
        <NumberField
          {...field("max_ips")}
          label={t("change.max_ips.value")}
          maw={220}
          min={1}
          max={1_000_000}
          allowDecimal={false}
        />
      );
    case "registration":
      return null;
    case "block_version":
      return (
        <TextField
          {...field("version")}
          label={t("change.block_version.value")}
          description={t("change.block_version.hint")}
          maw={320}
          placeholder="2.1.x"
        />
      );
    case "block_ip":
      return (
        <TextField
          {...field("cidr")}
          label={t("change.block_ip.value")}
          maw={320}
          placeholder="203.0.113.0/24"
        />
      );
  }
}

/** The input of the form. Every kind of change keeps its own value. */
interface Draft {
  readonly type: ChangeType;
  readonly max_ips: number | "";
  readonly version: string;
  readonly cidr: string;
  readonly days: (typeof dayChoices)[number];
}

const dayChoices = ["1", "7", "30", "90"] as const;

export function firstDraft({ change = "max_ips", value = "" }: ShadowSearch): Draft {
  return {
    type: change,
    max_ips: change === "max_ips" && /^\d+$/.test(value) ? Number(value) : 1,
    version: change === "block_version" ? value : "",
    cidr: change === "block_ip" ? value : "",
    days: "30",
  };
}

/** The change to try; null while its value is missing. */
export function changeOf({ type, max_ips: limit, version, cidr }: Draft): Change | null {
  switch (type) {
    case "max_ips":
      return limit === "" ? null : { type, max_ips: limit };
    case "registration":
      return { type, registration: "off" };
    case "block_version":
      return version.trim() === "" ? null : { type, version: version.trim() };
    case "block_ip":
      return cidr.trim() === "" ? null : { type, cidr: cidr.trim() };
  }
}

import { Alert, Button, Group, Select, Stack } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { randomId } from "../../api/send.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { isForSale, useNewProductPath, useProducts } from "../../session/products.ts";
import { NoProduct } from "../../ui/empty.tsx";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { Created } from "./created.tsx";
import { blankDraft, bodyOf, countOf, defaultsOf, type NewDraft, nextDraft, typedOf } from "./new-draft.ts";
import { CustomerFields, listErrors, MoreFields, TermsFields } from "./new-fields.tsx";
import type { License } from "./search.ts";

const newLicenseRoute = getRouteApi("/signed-in/o/$organization/licenses/new");

export function NewLicensePage() {
  const { t } = useTranslation("licenses");
  const organization = useOrganization();
  const products = useProducts();
  const newProductPath = useNewProductPath();
  const given = newLicenseRoute.useSearch();
  const [made, setMade] = useState<readonly License[] | null>(null);
  const create = useChange("createLicenses");
  // Retried after a lost connection, the same form creates its licenses only once.
  const sent = useRef({ text: "", key: "" });
  const form = useForm<NewDraft>({
    start: {
      ...blankDraft,
      customer_email: given.customer_email ?? "",
      customer_discord_id: given.customer_discord_id ?? "",
    },
    send: async (draft) => {
      const body = bodyOf(draft);
      const text = JSON.stringify([draft.productId, body]);
      if (sent.current.text !== text) sent.current = { text, key: randomId() };
      const params = { product_id: draft.productId };
      const answer = await create.mutateAsync({ params, body, idempotencyKey: sent.current.key });
      sent.current = { text: "", key: "" };
      setMade("data" in answer ? answer.data : [answer]);
    },
  });
  const { productId } = form.values;
  const choices = (products.data ?? []).filter(isForSale);
  const product = choices.find(({ id }) => id === productId);
  const choose = (id: string | null) => {
    const chosen = choices.find((one) => one.id === id);
    if (chosen !== undefined) form.set(defaultsOf(chosen));
  };
  const first = choices.find(({ id }) => id === given.product_id) ?? choices[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the products have loaded.
  useEffect(() => {
    if (productId === "" && first !== undefined) choose(first.id);
  }, [first?.id]);
  if (made !== null)
    return (
      <Created
        licenses={made}
        mailed={product?.deliver_license_by_email ?? false}
        onAnother={() => {
          form.restart(nextDraft(form.values));
          setMade(null);
        }}
      />
    );
  const above = <Back to={paths.licenses(organization.slug)}>{t("title")}</Back>;
  if (products.isSuccess && choices.length === 0)
    return (
      <Page narrow title={t("new.title")} above={above}>
        <NoProduct to={newProductPath}>
          {t(products.data.length === 0 ? "new.noProduct" : "new.noneForSale")}
        </NoProduct>
      </Page>
    );
  return (
    <Page narrow title={t("new.title")} above={above}>
      <Stack gap="md">
        {products.isPending && products.fetchStatus === "idle" && (
          <Alert icon={<Icon name="info" />}>{t("new.noProductAccess")}</Alert>
        )}
        <Form {...form.props} typed={typedOf(form.values)} base={typedOf(form.base)}>
          <Stack gap="md">
            {choices.length > 1 && (
              <Select
                label={t("columns.product")}
                data={choices.map(({ id, name }) => ({ value: id, label: name }))}
                value={productId}
                onChange={choose}
                allowDeselect={false}
                searchable
              />
            )}
            <Section title={t("new.customer")}>
              <CustomerFields form={form} />
            </Section>
            <Section title={t("new.terms")}>
              <TermsFields form={form} />
            </Section>
            <MoreFields form={form} />
            <FormProblem
              form={form}
              beside={["expires_in", "term_seconds", ...listErrors(form.error).map(({ field }) => field)]}
            />
            <Group justify="flex-end">
              <Button type="submit" loading={form.isBusy} disabled={productId === ""}>
                {t("new.do", { count: countOf(form.values) })}
              </Button>
            </Group>
          </Stack>
        </Form>
      </Stack>
    </Page>
  );
}

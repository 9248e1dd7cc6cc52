import { Box, Button, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { ValidateHelp } from "../../ui/help.tsx";
import { notify } from "../../ui/notify.tsx";
import { MissingPage } from "../../ui/page.tsx";
import { RadioField } from "../../ui/radio-field.tsx";
import { Panel } from "../../ui/section.tsx";
import { KeptLicenses } from "./frame/kept-licenses.tsx";
import { SeenLicenses } from "./frame/seen-licenses.tsx";
import { type Changes, type Product, useProduct, useProductChange } from "./frame/use-product.ts";

const changes = {
  activate: { status: "active" },
  close: { closed_for_sale: true },
  sell: { closed_for_sale: false },
  disable: { status: "disabled" },
  archive: { status: "archived" },
} as const satisfies Record<string, Changes>;
type DangerAction = keyof typeof changes | "delete";

/** Actions that stop sales or a product's apps, temporarily or permanently. */
export function DangerTab() {
  const { t } = useTranslation("products");
  const may = useMay();
  const product = useProduct();
  const question = useDangerQuestion(product);
  if (!may("products:manage")) return <MissingPage />;
  return (
    <>
      <Box mb="md">
        <ValidateHelp about="productStatus" />
      </Box>
      {dangerActionsOf(product).map((one) => (
        <Panel
          key={one}
          danger={one === "delete"}
          title={t(`danger.${one}.title`)}
          lead={t(`danger.${one}.words`)}
          actions={
            <Button
              {...(one === "activate" || one === "sell" ? {} : { variant: "default" })}
              {...(one === "delete" ? { c: "var(--mantine-color-error)" } : {})}
              onClick={() => question.ask(one)}
            >
              {t(`danger.${one}.open`)}
            </Button>
          }
        />
      ))}
      {question.dialog}
    </>
  );
}

/** The available actions for a product, the least severe first. */
function dangerActionsOf({ status, closed_for_sale: isClosed }: Product): DangerAction[] {
  return [
    ...(status === "active" ? [] : ["activate" as const]),
    isClosed ? "sell" : "close",
    ...(status === "disabled" ? [] : ["disable" as const]),
    ...(status === "archived" ? [] : ["archive" as const]),
    "delete",
  ];
}

/** Shows the effect and how many licenses are affected. Archiving also offers to stop selling instead. */
function useDangerQuestion(product: Product) {
  const { t } = useTranslation("products");
  const { slug } = useOrganization();
  const navigate = useNavigate();
  const { change } = useProductChange(product);
  const remove = useChange("deleteProduct");
  const [instead, setInstead] = useState<"close" | "archive">("close");
  const { name, status, closed_for_sale: isClosed } = product;
  const run = async (action: DangerAction) => {
    if (action === "delete") {
      await remove.mutateAsync({ params: { product_id: product.id } });
      await navigate(paths.products(slug));
      notify(t("danger.delete.done", { name }));
      return;
    }
    const before = "status" in changes[action] ? { status } : { closed_for_sale: isClosed };
    await change(changes[action]);
    notify(t(`danger.${action}.done`, { name }), () => change(before));
  };
  return useConfirm((chosen: DangerAction) => {
    const hasChoice = chosen === "archive" && status === "active" && !isClosed;
    const action = hasChoice ? instead : chosen;
    const rejects = status === "active" && ["disable", "archive", "delete"].includes(action);
    return {
      title: t(`danger.${chosen}.question`, { name }),
      action: t(`danger.${action}.do`),
      harmless: ["activate", "sell", "close"].includes(action),
      ...(action === "delete" ? { typed: name } : {}),
      onConfirm: () => run(action),
      children: (
        <Stack gap="sm">
          {hasChoice ? (
            <RadioField
              label={t("danger.choice")}
              mt="xs"
              values={["close", "archive"]}
              words={(choice) => t(`danger.${choice}.title`)}
              hint={(choice) => t(`danger.${choice}.words`)}
              value={instead}
              onChange={setInstead}
            />
          ) : (
            <Text>{t(`danger.${action}.happens`)}</Text>
          )}
          {rejects && <SeenLicenses product={product} change={{ type: "disable" }} />}
          {action === "close" && <KeptLicenses product={product} />}
        </Stack>
      ),
    };
  });
}

import { Box, Button, Radio, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { MissingPage } from "../../ui/missing-page.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { AffectedLicenses } from "./frame/affected-licenses.tsx";
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
  const [action, setAction] = useState<DangerAction | null>(null);
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
              onClick={() => setAction(one)}
            >
              {t(`danger.${one}.open`)}
            </Button>
          }
        />
      ))}
      <DangerQuestion product={product} action={action} onClose={() => setAction(null)} />
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

interface DangerQuestionProps {
  readonly product: Product;
  readonly action: DangerAction | null;
  readonly onClose: () => void;
}

/** Shows the effect and how many licenses are affected. Archiving also offers to stop selling instead. */
function DangerQuestion({ product, action, onClose }: DangerQuestionProps) {
  const { t } = useTranslation("products");
  const { slug } = useOrganization();
  const navigate = useNavigate();
  const { change } = useProductChange(product);
  const remove = useChange("deleteProduct");
  const [instead, setInstead] = useState<"close" | "archive">("close");
  const { name, status } = product;
  const asked = action ?? "disable";
  const hasChoice = asked === "archive" && status === "active" && !product.closed_for_sale;
  const shown = hasChoice ? instead : asked;
  const confirm = async () => {
    if (shown === "delete") {
      await remove.mutateAsync({ params: { product_id: product.id } });
      await navigate(paths.products(slug));
      notify(t("danger.delete.done", { name }));
      return;
    }
    const before = "status" in changes[shown] ? { status } : { closed_for_sale: product.closed_for_sale };
    await change(changes[shown]);
    notify(t(`danger.${shown}.done`, { name }), () => change(before));
  };
  const rejects = status === "active" && ["disable", "archive", "delete"].includes(shown);
  return (
    <Confirm
      opened={action !== null}
      onClose={onClose}
      title={t(`danger.${asked}.question`, { name })}
      action={t(`danger.${shown}.do`)}
      onConfirm={confirm}
      harmless={["activate", "sell", "close"].includes(shown)}
      {...(shown === "delete" ? { typed: name } : {})}
    >
      <Stack gap="sm">
        {hasChoice && (
          <Radio.Group
            label={t("danger.choice")}
            value={instead}
            onChange={(value) => setInstead(value === "archive" ? "archive" : "close")}
          >
            <Stack gap="xs" mt="xs">
              {(["close", "archive"] as const).map((one) => (
                <Radio
                  key={one}
                  value={one}
                  label={t(`danger.${one}.title`)}
                  description={t(`danger.${one}.words`)}
                />
              ))}
            </Stack>
          </Radio.Group>
        )}
        {!hasChoice && <Text>{t(`danger.${shown}.happens`)}</Text>}
        {rejects && <AffectedLicenses product={product} words="rejects" />}
        {shown === "close" && <AffectedLicenses product={product} words="keeps" />}
      </Stack>
    </Confirm>
  );
}

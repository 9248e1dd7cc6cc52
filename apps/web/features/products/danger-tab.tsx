import { Button, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../app/here.ts";
import { MissingPage } from "../../app/missing-page.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Panel } from "../../ui/panel.tsx";
import { tell } from "../../ui/tell.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { type Product, useProduct, useProductChange } from "./use-product.ts";

type Deed = "activate" | "disable" | "archive" | "delete";
const becomes = { activate: "active", disable: "disabled", archive: "archived" } as const;

/** What stops a product's apps: for now, for good, or without a way back. */
export function DangerTab() {
  const { t } = useTranslation("products");
  const may = useMay();
  const product = useProduct();
  const [deed, setDeed] = useState<Deed | null>(null);
  if (!may("products:manage")) return <MissingPage />;
  return (
    <>
      {product.status !== "active" && (
        <Panel
          title={t("danger.activate.title")}
          lead={t("danger.activate.words")}
          actions={<Button onClick={() => setDeed("activate")}>{t("danger.activate.do")}</Button>}
        />
      )}
      {(["disable", "archive"] as const)
        .filter((one) => product.status !== becomes[one])
        .map((one) => (
          <Panel
            key={one}
            title={t(`danger.${one}.title`)}
            lead={t(`danger.${one}.words`)}
            actions={
              <Button variant="default" onClick={() => setDeed(one)}>
                {t(`danger.${one}.open`)}
              </Button>
            }
          />
        ))}
      <Panel
        danger
        title={t("danger.delete.title")}
        lead={t("danger.delete.words")}
        actions={
          <Button variant="default" c="var(--mantine-color-error)" onClick={() => setDeed("delete")}>
            {t("danger.delete.open")}
          </Button>
        }
      />
      <ValidateHelp about="productStatus" />
      <Question product={product} deed={deed} onClose={() => setDeed(null)} />
    </>
  );
}

function Question({ product, deed, onClose }: { product: Product; deed: Deed | null; onClose: () => void }) {
  const { t } = useTranslation("products");
  const { slug } = useOrganization();
  const navigate = useNavigate();
  const { change } = useProductChange(product);
  const remove = useChange("deleteProduct", ["listProducts", "listLicenses"]);
  const { name, status } = product;
  const shown = deed ?? "disable";
  const confirm = async () => {
    if (shown === "delete") {
      await remove.mutateAsync({ params: { product_id: product.id } });
      await navigate({ to: `/o/${slug}/products` as "/" });
      tell(t("danger.delete.done", { name }));
    } else {
      await change({ status: becomes[shown] });
      tell(t(`danger.${shown}.done`, { name }), () => change({ status }));
    }
  };
  return (
    <Confirm
      opened={deed !== null}
      onClose={onClose}
      title={t(`danger.${shown}.question`, { name })}
      deed={t(`danger.${shown}.do`)}
      onConfirm={confirm}
      harmless={shown === "activate"}
      {...(shown === "delete" ? { typed: name } : {})}
    >
      <Text>{t(`danger.${shown}.happens`)}</Text>
    </Confirm>
  );
}

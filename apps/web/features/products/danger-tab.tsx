import { Box, Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/current-organization.ts";
import { ValidateHelp } from "../../ui/help.tsx";
import { MissingPage } from "../../ui/page.tsx";
import { Panel } from "../../ui/section.tsx";
import { type DangerAction, DangerQuestion, dangerActionsOf } from "./danger-question.tsx";
import { useProduct } from "./frame/use-product.ts";

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

import { Box } from "@mantine/core";
import { useMay } from "../../app/current-organization.ts";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { SigningSecret } from "./signing-secret.tsx";
import { useProduct } from "./use-product.ts";

export function KeysTab() {
  const product = useProduct();
  const mayRotate = useMay()("products:rotate_key");
  return (
    <>
      <Box mb="md">
        <ValidateHelp about="apiKeys" />
      </Box>
      <ApiKeys product={product} mayRotate={mayRotate} />
      <SigningSecret product={product} mayRotate={mayRotate} />
    </>
  );
}

import { Box } from "@mantine/core";
import { useMay } from "../../session/current-organization.ts";
import { ValidateHelp } from "../../ui/help.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { useProduct } from "./frame/use-product.ts";
import { SigningSecret } from "./signing-secret.tsx";

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

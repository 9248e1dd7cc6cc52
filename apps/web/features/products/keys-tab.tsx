import { useMay } from "../../app/here.ts";
import { ApiKeys } from "./api-keys.tsx";
import { SigningSecret } from "./signing-secret.tsx";
import { useProduct } from "./use-product.ts";

export function KeysTab() {
  const product = useProduct();
  const mayRotate = useMay()("products:rotate_key");
  return (
    <>
      <ApiKeys product={product} mayRotate={mayRotate} />
      <SigningSecret product={product} mayRotate={mayRotate} />
    </>
  );
}

import { useQuery } from "@tanstack/react-query";
import { ask } from "../../api/queries.ts";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { TabWaiting } from "../products/frame/tab-waiting.tsx";
import { useProduct } from "../products/frame/use-product.ts";
import { SandboxKeys } from "./sandbox-keys.tsx";
import { TestKey } from "./test-key.tsx";

/** A test API key, and a license key for every outcome, for tests that must not count. */
export function SandboxTab() {
  const product = useProduct();
  const { data, error } = useQuery(ask("getSandbox", { params: { product_id: product.id } }));
  if (data === undefined) return error === null ? <TabWaiting /> : <ProblemAlert error={error} />;
  return (
    <>
      <TestKey product={product} sandbox={data} />
      <SandboxKeys sandbox={data} />
    </>
  );
}

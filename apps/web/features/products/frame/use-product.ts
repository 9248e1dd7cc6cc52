import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type Answer, type Body, call } from "../../../api/client.ts";
import { ApiProblem } from "../../../api/problem.ts";
import { ask } from "../../../api/queries.ts";
import { notify, notifyProblem } from "../../../ui/notify.tsx";

export type Product = Answer<"getProduct">;
export type Changes = Omit<Body<"updateProduct">, "updated_at">;

/** The product in the URL. */
export function useProduct(): Product {
  const { productId } = useParams({ strict: false });
  return useSuspenseQuery(ask("getProduct", { params: { product_id: productId ?? "" } })).data;
}

/**
 * Changes a product. The change is shown immediately, and reverted with a reason if refused. Changes run in sequence,
 * each based on the previous response, so that only other users' changes cause a conflict.
 */
export function useProductChange(product: Product) {
  const { t } = useTranslation("products");
  const queries = useQueryClient();
  const input = { params: { product_id: product.id } };
  const { queryKey } = ask("getProduct", input);
  const change = useMutation({
    scope: { id: `product ${product.id}` },
    mutationFn: (changes: Changes) => {
      const known = queries.getQueryData(queryKey)?.updated_at ?? product.updated_at;
      return call("updateProduct", { ...input, body: { ...changes, updated_at: known } });
    },
    onMutate: async (changes) => {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData(queryKey) ?? product;
      queries.setQueryData(queryKey, { ...before, ...changes } as Product);
      return pick(before, changes);
    },
    onSuccess: (answer, changes) => {
      queries.setQueryData(queryKey, (shown) =>
        // Pending changes stay visible.
        shown === undefined ? answer : { ...shown, ...pick(answer, changes), updated_at: answer.updated_at },
      );
      // Not the product itself: a reload would hide changes that are still under way.
      void queries.invalidateQueries({ queryKey: ["listProducts"] });
    },
    onError: (_error, _changes, before) => {
      if (before !== undefined)
        queries.setQueryData(queryKey, (shown) => (shown === undefined ? shown : { ...shown, ...before }));
      return queries.invalidateQueries({ queryKey });
    },
  });
  /** For settings without a form: confirms the change and offers to undo it, or shows the error. */
  const save = (changes: Changes): Promise<boolean> => {
    const before = pick(queries.getQueryData(queryKey) ?? product, changes) as Changes;
    return change.mutateAsync(changes).then(
      () => {
        notify(t("savedAs", { name: t(`setting.${Object.keys(changes)[0]}.label`) }), () =>
          change.mutateAsync(before),
        );
        return true;
      },
      (error: unknown) => {
        notifyProblem(isOutdated(error) ? t("outdated") : error);
        return false;
      },
    );
  };
  /** For settings with a form, which shows the error. */
  const submit = (changes: Changes) =>
    change.mutateAsync(changes).catch((error: unknown) => {
      throw isOutdated(error) ? new Error(t("outdated")) : error;
    });
  return { save, submit, change: change.mutateAsync };
}

const changedMeanwhile: readonly string[] = ["changed_meanwhile", "versions_changed_meanwhile"];

/** Whether someone else changed it since it was read. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiProblem && changedMeanwhile.includes(error.code);
}

function pick(from: object, like: object): object {
  return Object.fromEntries(Object.entries(from).filter(([name]) => name in like));
}

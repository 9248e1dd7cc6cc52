import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify } from "../../ui/notify.tsx";
import { useHolderName } from "./holder.tsx";
import { isConflict } from "./refused.ts";
import { effectsOf, type Transfer } from "./transfer.ts";
import classes from "./transfer-page.module.css";

interface ApproveQuestionProps {
  readonly transfer: Transfer;
  readonly license: Answer<"getLicense"> | null;
  readonly product: Answer<"getProduct"> | null;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Something has changed since the page was loaded. */
  readonly onRefused: (problem: Error) => void;
}

/** Names everything that an approval does. */
export function ApproveQuestion(props: ApproveQuestionProps) {
  const { transfer, license, product, opened, onClose, onRefused } = props;
  const { t } = useTranslation("transfers");
  const nameOf = useHolderName();
  const approve = useChange("approveTransfer");
  const names = { from: nameOf(transfer.from), to: nameOf(transfer.to) };
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t("approve.title")}
      action={t("approve.do")}
      harmless
      onConfirm={async () => {
        try {
          await approve.mutateAsync({ params: { transfer_id: transfer.id } });
          notify(t("approve.done", names));
        } catch (problem) {
          if (!isConflict(problem)) throw problem;
          onRefused(problem);
        }
      }}
    >
      <Stack gap="xs">
        <Text>{t("approve.words", names)}</Text>
        <ul className={classes.effects}>
          {effectsOf(transfer, license, product).map((effect) => (
            <li key={effect.kind}>
              {effect.kind === "ips_removed" && effect.count !== null
                ? t("approve.effect.ips_counted", { ...names, count: effect.count })
                : t(`approve.effect.${effect.kind}`, names)}
            </li>
          ))}
        </ul>
      </Stack>
    </Confirm>
  );
}

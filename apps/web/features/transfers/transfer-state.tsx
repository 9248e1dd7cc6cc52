import { useTranslation } from "react-i18next";
import { StateMark } from "../../ui/state-mark.tsx";
import type { Transfer } from "./transfer.ts";

const tones = { pending: "warn", approved: "good", rejected: "bad", cancelled: "off" } as const;

export function TransferState({ state }: Pick<Transfer, "state">) {
  const { t } = useTranslation("transfers");
  return <StateMark tone={tones[state]}>{t(`states.${state}`)}</StateMark>;
}

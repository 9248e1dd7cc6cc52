import { NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../ui/confirm.tsx";

interface Rotation<Seconds extends number | null> {
  /** How long the old one can keep working. Null for until revoked. */
  readonly overlaps: readonly Seconds[];
  readonly usualOverlap: Seconds;
  readonly rotate: (overlapSeconds: Seconds) => Promise<unknown>;
}

/** Asks how long the old API key or signing secret keeps working, before there is a new one. */
export function useRotation<Seconds extends number | null>(
  what: "keys" | "signing",
  { overlaps, usualOverlap, rotate }: Rotation<Seconds>,
) {
  const { t } = useTranslation("products");
  const [overlap, setOverlap] = useState(usualOverlap);
  const nameOf = (seconds: number | null) => {
    if (seconds === null) return t("overlap.untilRevoked");
    if (seconds === 0) return t("overlap.none");
    return seconds < 86_400
      ? t("overlap.hours", { count: seconds / 3_600 })
      : t("overlap.days", { count: seconds / 86_400 });
  };
  return useConfirm(() => ({
    title: t(`${what}.rotate`),
    action: t(`${what}.rotateDo`),
    harmless: overlap !== 0,
    onConfirm: () => rotate(overlap),
    children: (
      <Stack gap="sm">
        <Text>{t(`${what}.rotateWords`)}</Text>
        <NativeSelect
          label={t(`${what}.overlap`)}
          value={String(overlap)}
          onChange={(event) => {
            const chosen = overlaps.find((seconds) => String(seconds) === event.currentTarget.value);
            if (chosen !== undefined) setOverlap(chosen);
          }}
          data={overlaps.map((seconds) => ({ value: String(seconds), label: nameOf(seconds) }))}
        />
        <Text size="sm" c="dimmed">
          {t(`${what}.${effectOf(overlap)}`)}
        </Text>
      </Stack>
    ),
  }));
}

function effectOf(overlapSeconds: number | null) {
  if (overlapSeconds === null) return "overlapOpen";
  return overlapSeconds === 0 ? "overlapNone" : "overlapSome";
}

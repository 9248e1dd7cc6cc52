import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import i18next from "i18next";
import { newName } from "../api/once.ts";
import { ApiProblem, Unreachable } from "../api/problem.ts";

/** Says that something is done; with a way back where there is one. */
export function tell(words: string, undo?: () => Promise<unknown>): void {
  const id = newName();
  notifications.show({
    id,
    color: "verdigris",
    closeButtonProps: { "aria-label": i18next.t("close") },
    autoClose: undo === undefined ? 4_000 : 9_000,
    message:
      undo === undefined ? (
        words
      ) : (
        <Group justify="space-between" wrap="nowrap">
          <Text inherit>{words}</Text>
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => {
              notifications.hide(id);
              undo().catch(tellProblem);
            }}
          >
            {i18next.t("undo")}
          </Button>
        </Group>
      ),
  });
}

/** Says why something did not work, where there is no form to say it in. */
export function tellProblem(error: unknown): void {
  const message =
    error instanceof Unreachable
      ? i18next.t("broken.unreachable")
      : error instanceof ApiProblem
        ? error.message
        : String(error);
  notifications.show({
    color: "red",
    title: i18next.t("broken.title"),
    message,
    autoClose: 10_000,
    closeButtonProps: { "aria-label": i18next.t("close") },
  });
}

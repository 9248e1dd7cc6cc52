import { Button, Divider, Stack } from "@mantine/core";
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { localPath } from "./local-path.ts";
import { useEnter } from "./next-page.ts";
import { canSuggestPasskeys, canUsePasskeys, type PasskeyRequest, signWithPasskey } from "./passkey.ts";

/** Sign-in methods without a password, if any. */
export function PasswordlessSignIn({ next }: { next: string | undefined }) {
  const { t } = useTranslation("identity");
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  const passkey = usePasskey(next);
  const discord = useMutation({
    mutationFn: () =>
      callAuth<{ url: string }>("signInWithDiscord", {
        provider: "discord",
        callbackURL: localPath(next),
        errorCallbackURL: next === undefined ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`,
      }),
    onSuccess: ({ url }) => location.assign(url),
  });
  if (!setup.discord && !canUsePasskeys()) return null;
  return (
    <Stack gap="sm" mt="md">
      <Divider label={t("signIn.or")} />
      <ProblemAlert error={passkey.error ?? discord.error} />
      {canUsePasskeys() && (
        <Button
          variant="default"
          leftSection={<Icon name="key" size={16} />}
          loading={passkey.isBusy}
          onClick={passkey.ask}
        >
          {t("signIn.passkey")}
        </Button>
      )}
      {setup.discord && (
        <Button variant="default" loading={discord.isPending} onClick={() => discord.mutate()}>
          {t("signIn.discord")}
        </Button>
      )}
    </Stack>
  );
}

/** With the button, and where supported by autofill of the email field. */
function usePasskey(next: string | undefined) {
  const enter = useEnter();
  const [suggestions, setSuggestions] = useState(0);
  const waiting = useRef<AbortController>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);

  const run = async (mediation: CredentialMediationRequirement) => {
    // Only one request can be pending at a time.
    waiting.current?.abort();
    const turn = new AbortController();
    waiting.current = turn;
    const request = await callAuth<PasskeyRequest>("beginPasskeySignIn");
    if (turn.signal.aborted) return false;
    const response = await signWithPasskey(request, turn.signal, mediation);
    if (response === null || turn.signal.aborted) return false;
    await callAuth("signInWithPasskey", { response });
    enter(next);
    return true;
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: it restarts when the previous request has ended.
  useEffect(() => {
    let isGone = false;
    const suggest = async () => {
      if (!(await canSuggestPasskeys()) || isGone) return;
      await run("conditional").catch((problem: Error) => {
        setError(problem);
        // The server's challenge expires, so it is replaced after a while.
        setSuggestions((count) => count + 1);
      });
    };
    if (suggestions < 5) void suggest();
    return () => {
      isGone = true;
      waiting.current?.abort();
    };
  }, [suggestions]);

  const askNow = async () => {
    setBusy(true);
    setError(null);
    try {
      const isIn = await run("optional");
      if (!isIn) setSuggestions((count) => count + 1);
    } catch (problem) {
      setError(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  return { ask: askNow, isBusy, error };
}

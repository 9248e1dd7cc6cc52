import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { useMe } from "../../session/current-organization.ts";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";

import { Dimmed } from "../../ui/dimmed.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { canUsePasskeys, type PasskeyRequest, signWithPasskey } from "../identity/passkey.ts";
import { type ProofMethod, proofMethods } from "./proof-methods.ts";

/** The members of a request that requires a proof. */
export interface ProofBody {
  readonly password?: string;
  readonly confirmation?: string;
}

interface Proof {
  readonly ways: readonly ProofMethod[];
  readonly way: ProofMethod | null;
  readonly setWay: (way: ProofMethod) => void;
  readonly typed: string;
  readonly setTyped: (typed: string) => void;
  /** Null if the user cancels the passkey prompt. */
  readonly prove: () => Promise<ProofBody | null>;
}

/**
 * How the user confirms their identity, and the input for it. Changes to two-factor authentication require the password
 * of users who have one.
 */
export function useProof(isForSecondFactor = false): Proof {
  const me = useMe();
  const ways =
    isForSecondFactor && me.sign_in_methods.password
      ? (["password"] as const)
      : proofMethods(me, canUsePasskeys());
  const [chosen, setChosen] = useState<ProofMethod | null>(null);
  const [typed, setTyped] = useState("");
  const way = chosen ?? ways[0] ?? null;
  const setWay = (next: ProofMethod) => {
    setChosen(next);
    setTyped("");
  };
  const prove = async (): Promise<ProofBody | null> => {
    switch (way) {
      case null:
        return {};
      case "password":
        return { password: typed };
      case "code":
        return confirm({ code: typed.replaceAll(" ", "") });
      case "passkey": {
        const request = await callAuth<PasskeyRequest>("beginConfirmation");
        const response = await signWithPasskey(request, new AbortController().signal);
        return response === null ? null : confirm({ response });
      }
    }
  };
  return { ways, way, setWay, typed, setTyped, prove };
}

async function confirm(body: object): Promise<ProofBody> {
  const { confirmation } = await callAuth<{ confirmation: string }>("confirm", body);
  return { confirmation };
}

interface ProofFieldsProps {
  readonly proof: Proof;
  readonly error: Error | null;
  /** The purpose of the proof, below the field's label. */
  readonly description?: string;
  readonly isFirst?: boolean;
}

export function ProofFields({ proof, error, description, isFirst = false }: ProofFieldsProps) {
  const { t } = useTranslation("account");
  const { way, ways, setWay, typed, setTyped } = proof;
  const field = {
    description,
    required: true,
    maw: 352,
    value: typed,
    "data-autofocus": isFirst || undefined,
    onChange: (event: { currentTarget: { value: string } }) => setTyped(event.currentTarget.value),
  };
  return (
    <Stack gap="xs" align="flex-start">
      {way === "password" && (
        <PasswordInput
          {...field}
          w="100%"
          label={t("password.yours")}
          autoComplete="current-password"
          error={fieldError(error, "password")}
        />
      )}
      {way === "code" && (
        <TextInput
          {...field}
          w="100%"
          label={t("proof.code")}
          autoComplete="one-time-code"
          maxLength={64}
          error={fieldError(error, "code")}
        />
      )}
      {(way === "passkey" || way === null) && (
        <Dimmed>{t(way === null ? "proof.signInAgain" : "proof.passkey")}</Dimmed>
      )}
      {ways.length > 1 && (
        <Group gap="md">
          {ways
            .filter((other) => other !== way)
            .map((other) => (
              <Button key={other} variant="subtle" size="compact-sm" px={0} onClick={() => setWay(other)}>
                {t(`proof.use.${other}`)}
              </Button>
            ))}
        </Group>
      )}
    </Stack>
  );
}

interface PasswordAgainProps {
  readonly opened: boolean;
  readonly title: string;
  readonly words: string;
  readonly action: string;
  readonly isRemoval?: boolean;
  readonly isForSecondFactor?: boolean;
  readonly onClose: () => void;
  /** Receives the proof, for the body of the request. */
  readonly run: (proof: ProofBody) => Promise<unknown>;
}

/** Asks for the password, a passkey or a code before a sign-in method is added or removed. */
export function ConfirmIdentity({ opened, title, onClose, ...form }: PasswordAgainProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      {opened && <Form {...form} onClose={onClose} />}
    </Dialog>
  );
}

function Form({
  words,
  action,
  isRemoval = false,
  isForSecondFactor = false,
  onClose,
  run,
}: Omit<PasswordAgainProps, "opened" | "title">) {
  const proof = useProof(isForSecondFactor);
  const send = useMutation({
    mutationFn: async () => {
      const body = await proof.prove();
      if (body !== null) await run(body);
      return body !== null;
    },
    onSuccess: (isDone) => {
      if (isDone) onClose();
    },
  });
  return (
    <DialogForm
      onSubmit={send.mutate}
      // Retyping a password is quicker than answering a question about it.
      typed={null}
      error={send.error}
      isBusy={send.isPending}
      action={action}
      isRemoval={isRemoval}
    >
      <Text>{words}</Text>
      <ProblemAlert error={send.error} beside={["password", "code"]} />
      <ProofFields proof={proof} error={send.error} isFirst />
    </DialogForm>
  );
}

import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { useMe } from "../../session/current-organization.ts";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { canUsePasskeys, type PasskeyRequest, signWithPasskey } from "../identity/passkey.ts";

/** The members of a request that requires a proof. */
export interface ProofBody {
  readonly password?: string;
  readonly confirmation?: string;
}

type ProofMethod = "password" | "passkey" | "code";

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

interface AccountAccess {
  readonly two_factor_enabled: boolean;
  readonly sign_in_methods: { readonly password: boolean; readonly passkeys: readonly unknown[] };
}

/** How users can confirm their identity, the most common first. Empty for an account that only uses Discord. */
export function proofMethods(me: AccountAccess, canUsePasskeys: boolean): ProofMethod[] {
  const { password, passkeys } = me.sign_in_methods;
  return [
    ...(password ? (["password"] as const) : []),
    ...(passkeys.length > 0 && canUsePasskeys ? (["passkey"] as const) : []),
    ...(me.two_factor_enabled ? (["code"] as const) : []),
  ];
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

interface ConfirmIdentityProps {
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
export function ConfirmIdentity({ opened, title, onClose, ...form }: ConfirmIdentityProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      {opened && <ProofForm {...form} onClose={onClose} />}
    </Dialog>
  );
}

function ProofForm(props: Omit<ConfirmIdentityProps, "opened" | "title">) {
  const { words, action, isRemoval = false, isForSecondFactor = false, onClose, run } = props;
  const proof = useProof(isForSecondFactor);
  const form = useForm({
    // Retyping a password is quicker than answering a question about it, so it is not guarded.
    start: {},
    send: async () => {
      const body = await proof.prove();
      if (body === null) return;
      await run(body);
      onClose();
    },
  });
  return (
    <DialogForm {...form.props} action={action} isRemoval={isRemoval}>
      <Text>{words}</Text>
      <FormProblem form={form} beside={["password", "code"]} />
      <ProofFields proof={proof} error={form.error} isFirst />
    </DialogForm>
  );
}

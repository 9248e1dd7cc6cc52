import { bytesOf, textOf, written } from "../identity/passkey.ts";

/** The server's options for a new passkey. */
export interface PasskeyCreation {
  readonly challenge: string;
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly pubKeyCredParams: PublicKeyCredentialParameters[];
  readonly timeout: number;
  readonly attestation?: AttestationConveyancePreference;
  readonly authenticatorSelection?: AuthenticatorSelectionCriteria;
  readonly excludeCredentials?: readonly { readonly id: string; readonly transports?: readonly string[] }[];
}

/** Asks the device to create a passkey; null if the user cancels. */
export async function createPasskey(wanted: PasskeyCreation): Promise<object | null> {
  const publicKey: PublicKeyCredentialCreationOptions = {
    challenge: bytesOf(wanted.challenge),
    rp: wanted.rp,
    user: { ...wanted.user, id: bytesOf(wanted.user.id) },
    pubKeyCredParams: wanted.pubKeyCredParams,
    timeout: wanted.timeout,
    attestation: wanted.attestation ?? "none",
    ...(wanted.authenticatorSelection === undefined
      ? {}
      : { authenticatorSelection: wanted.authenticatorSelection }),
    excludeCredentials: (wanted.excludeCredentials ?? []).map(({ id, transports = [] }) => ({
      id: bytesOf(id),
      type: "public-key",
      transports: [...transports] as AuthenticatorTransport[],
    })),
  };
  try {
    const made = await navigator.credentials.create({ publicKey });
    return made === null ? null : attested(made as PublicKeyCredential);
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotAllowedError") return null;
    throw error;
  }
}

function attested(credential: PublicKeyCredential): object {
  const response = credential.response as AuthenticatorAttestationResponse;
  return written(credential, {
    clientDataJSON: textOf(response.clientDataJSON),
    attestationObject: textOf(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  });
}

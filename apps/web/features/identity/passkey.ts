/** The server's challenge for a passkey. */
export interface PasskeyRequest {
  readonly challenge: string;
  readonly rpId: string;
  readonly timeout: number;
  readonly userVerification: string;
  readonly allowCredentials?: readonly { readonly id: string; readonly transports?: readonly string[] }[];
}

/** Browsers support passkeys only over HTTPS or on localhost, and only for host names, not IP addresses. */
export function canUsePasskeys(): boolean {
  return "PublicKeyCredential" in window && !/^[\d.]+$|^\[/.test(location.hostname);
}

/** Whether the browser offers passkeys in the email field. */
export async function canSuggestPasskeys(): Promise<boolean> {
  if (!canUsePasskeys()) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

/** Asks the device; null if the user cancels. */
export async function signWithPasskey(
  request: PasskeyRequest,
  signal: AbortSignal,
  mediation: CredentialMediationRequirement = "optional",
): Promise<object | null> {
  const publicKey: PublicKeyCredentialRequestOptions = {
    challenge: bytesOf(request.challenge),
    rpId: request.rpId,
    timeout: request.timeout,
    userVerification: request.userVerification as UserVerificationRequirement,
    allowCredentials: (request.allowCredentials ?? []).map(({ id, transports = [] }) => ({
      id: bytesOf(id),
      type: "public-key",
      transports: [...transports] as AuthenticatorTransport[],
    })),
  };
  try {
    const given = await navigator.credentials.get({ publicKey, signal, mediation });
    return given === null ? null : answered(given as PublicKeyCredential);
  } catch (error) {
    const names = ["NotAllowedError", "AbortError"];
    if (error instanceof DOMException && names.includes(error.name)) return null;
    throw error;
  }
}

function answered(credential: PublicKeyCredential): object {
  const { authenticatorData, clientDataJSON, signature, userHandle } =
    credential.response as AuthenticatorAssertionResponse;
  return written(credential, {
    authenticatorData: textOf(authenticatorData),
    clientDataJSON: textOf(clientDataJSON),
    signature: textOf(signature),
    ...(userHandle === null ? {} : { userHandle: textOf(userHandle) }),
  });
}

/** Serialized by hand: not every browser in use supports `toJSON`. */
function written(credential: PublicKeyCredential, response: object): object {
  return {
    id: credential.id,
    rawId: textOf(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
    response,
  };
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
}

function textOf(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

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

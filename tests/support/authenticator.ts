import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

interface Options {
  readonly challenge: string;
}

/** A device with one passkey, as a browser uses it (WebAuthn, ES256, no attestation). */
export class Authenticator {
  readonly #origin: string;
  readonly #id = randomBytes(32);
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #asksWhoItIs: boolean;
  #uses = 0;

  constructor(origin: string, { asksWhoItIs = true } = {}) {
    this.#origin = origin;
    this.#asksWhoItIs = asksWhoItIs;
  }

  register({ challenge }: Options) {
    const clientData = this.#clientData("webauthn.create", challenge);
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const key = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const authData = Buffer.concat([this.#authData(0x40), Buffer.alloc(16), length, this.#id, key]);
    const parts = { fmt: "none", attStmt: new Map(), authData };
    const attestation = isoCBOR.encode(new Map(Object.entries(parts)));
    return this.#credential({
      clientDataJSON: text(clientData),
      attestationObject: text(attestation),
      transports: ["internal"],
    });
  }

  authenticate({ challenge }: Options, asksWhoItIs = this.#asksWhoItIs) {
    const clientData = this.#clientData("webauthn.get", challenge);
    const authData = this.#authData(0, asksWhoItIs);
    const signed = Buffer.concat([authData, createHash("sha256").update(clientData).digest()]);
    return this.#credential({
      clientDataJSON: text(clientData),
      authenticatorData: text(authData),
      signature: text(sign("sha256", signed, this.#keys.privateKey)),
    });
  }

  #credential(response: object) {
    const id = text(this.#id);
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }));
  }

  #authData(flags: number, asksWhoItIs = this.#asksWhoItIs): Buffer {
    const rpIdHash = createHash("sha256").update(new URL(this.#origin).hostname).digest();
    this.#uses += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#uses);
    return Buffer.concat([rpIdHash, Buffer.from([flags | 0x01 | (asksWhoItIs ? 0x04 : 0)]), counter]);
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

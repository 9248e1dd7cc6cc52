import { createSign, generateKeyPairSync, randomBytes } from "node:crypto";

export interface Certificate {
  /** Both as PEM. */
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate for these names, valid from yesterday until tomorrow. */
export function selfSigned(...names: readonly string[]): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const name = sequence(tagged(0x31, sequence(objectId(0x55, 0x04, 0x03), tagged(0x0c, names[0] ?? "Test"))));
  const dayMs = 86_400_000;
  const altNames = sequence(...names.map((one) => tagged(0x82, one)));
  const isAuthority = sequence(tagged(0x01, Buffer.from([0xff])));
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - dayMs), time(Date.now() + dayMs)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(
      0xa3,
      sequence(
        sequence(objectId(0x55, 0x1d, 0x13), tagged(0x01, Buffer.from([0xff])), tagged(0x04, isAuthority)),
        sequence(objectId(0x55, 0x1d, 0x11), tagged(0x04, altNames)),
      ),
    ),
  );
  const signature = createSign("sha256").update(content).sign(privateKey);
  const whole = sequence(
    content,
    ecdsaWithSha256,
    tagged(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** DER: a tag, the length, and the contents. */
function tagged(tag: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const { length } = bytes;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), bytes]);
}

const sequence = (...parts: readonly Buffer[]) => tagged(0x30, Buffer.concat(parts));
const objectId = (...bytes: readonly number[]) => tagged(0x06, Buffer.from(bytes));
const time = (ms: number) => {
  const text = new Date(ms).toISOString().replace(/[-:T]/g, "").slice(2, 14);
  return tagged(0x17, `${text}Z`);
};

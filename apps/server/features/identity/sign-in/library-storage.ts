import { hash } from "node:crypto";
import type { DBAdapter, DBTransactionAdapter, Where } from "@better-auth/core/db/adapter";

/** Maps the library's models and fields to our tables. */
export const columns = {
  core: {
    user: {
      modelName: "users",
      fields: { emailVerified: "email_verified", createdAt: "created_at", updatedAt: "updated_at" },
    },
    session: {
      modelName: "sessions",
      fields: {
        userId: "user_id",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    account: {
      modelName: "accounts",
      fields: {
        userId: "user_id",
        providerId: "provider_id",
        accountId: "account_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    verification: {
      modelName: "verifications",
      fields: { expiresAt: "expires_at", createdAt: "created_at", updatedAt: "updated_at" },
    },
  },
  twoFactor: {
    user: { fields: { twoFactorEnabled: "two_factor_enabled" } },
    twoFactor: {
      modelName: "two_factors",
      fields: {
        userId: "user_id",
        backupCodes: "backup_codes",
        failedVerificationCount: "failed_verification_count",
        lockedUntil: "locked_until",
      },
    },
  },
  passkey: {
    passkey: {
      modelName: "passkeys",
      fields: {
        userId: "user_id",
        credentialID: "credential_id",
        publicKey: "public_key",
        deviceType: "device_type",
        backedUp: "backed_up",
        createdAt: "created_at",
      },
    },
  },
} as const;

/**
 * The sign-in library's access to the database, which has only the hash of a session's token. The library knows the
 * token from the cookie, or because it has just created it, and gets it back where it looked a session up by it.
 */
export function hashingSessionTokens(adapter: DBAdapter): DBAdapter {
  return { ...hashing(adapter), transaction: (run) => adapter.transaction((inside) => run(hashing(inside))) };
}

function hashing(adapter: DBTransactionAdapter): DBTransactionAdapter {
  return {
    ...adapter,
    create: async (call) => withToken(call, await adapter.create(hashed(call))),
    findOne: async (call) => withToken(call, await adapter.findOne(hashed(call))),
    findMany: async <T>(call: Parameters<DBAdapter["findMany"]>[0]) => {
      const rows = await adapter.findMany<T>(hashed(call));
      return rows.map((row) => withToken(call, row));
    },
    count: (call) => adapter.count(hashed(call)),
    update: async (call) => withToken(call, await adapter.update(hashed(call))),
    updateMany: (call) => adapter.updateMany(hashed(call)),
    delete: (call) => adapter.delete(hashed(call)),
    deleteMany: (call) => adapter.deleteMany(hashed(call)),
    consumeOne: async (call) => withToken(call, await adapter.consumeOne(hashed(call))),
    incrementOne: async (call) => withToken(call, await adapter.incrementOne(hashed(call))),
  };
}

const session = "session";

interface Call {
  readonly model: string;
  readonly where?: Where[] | undefined;
  readonly data?: object;
  readonly update?: object;
}

/** The call with hashes in place of tokens. */
function hashed<C extends Call>(call: C): C {
  if (call.model !== session) return call;
  const where = call.where?.map((one) =>
    one.field === "token" ? { ...one, value: hashesOf(one.value) } : one,
  );
  return {
    ...call,
    ...(where && { where }),
    ...(call.data && { data: withHash(call.data) }),
    ...(call.update && { update: withHash(call.update) }),
  };
}

/** A session that was created with a token, or looked up by one, has it instead of the hash. */
function withToken<Row>({ model, where = [], data = {} }: Call, row: Row): Row {
  if (model !== session || row === null || typeof row !== "object" || !("token" in row)) return row;
  const lookedUp = where.filter(({ field }) => field === "token").flatMap(({ value }) => value);
  const tokens = "token" in data ? [...lookedUp, data.token] : lookedUp;
  const token = tokens.find((one) => typeof one === "string" && hashOf(one) === row.token);
  return token === undefined ? row : { ...row, token };
}

function withHash(values: object): object {
  return "token" in values ? { ...values, token: hashOf(String(values.token)) } : values;
}

function hashesOf(value: Where["value"]): Where["value"] {
  return Array.isArray(value) ? value.map((one) => hashOf(String(one))) : hashOf(String(value));
}

function hashOf(token: string): string {
  return hash("sha256", token, "base64url");
}

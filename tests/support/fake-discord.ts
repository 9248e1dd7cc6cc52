import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface DiscordProfile {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly verified: boolean;
}

export type FakeDiscord = Awaited<ReturnType<typeof startFakeDiscord>>;

const client = { client_id: "test-client", client_secret: "test-client-secret" };

/** A fake Discord. The test decides which user signs in. */
export async function startFakeDiscord() {
  const codes = new Map<string, { profile: DiscordProfile; redirect_uri: string }>();
  const tokens = new Map<string, DiscordProfile>();
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.url?.startsWith("/oauth2/authorize?")) {
      const location = discord.answerTo(new URL(request.url, discord.settings.COUNTERSIGN_DISCORD_URL));
      return response.writeHead(302, { location }).end();
    }
    if (request.method === "POST" && request.url === "/api/oauth2/token") {
      let text = "";
      for await (const chunk of request) text += chunk;
      const { code = "", code_verifier, ...form } = Object.fromEntries(new URLSearchParams(text));
      const { profile, redirect_uri } = codes.get(code) ?? {};
      codes.delete(code);
      const isRight = Object.entries({ ...client, redirect_uri }).every(
        ([name, value]) => form[name] === value,
      );
      if (profile === undefined || !isRight || !code_verifier) return answer(400, { error: "invalid_grant" });
      const token = randomBytes(16).toString("hex");
      tokens.set(token, profile);
      return answer(200, { access_token: token, token_type: "Bearer", expires_in: 604800 });
    }
    const profile = tokens.get((request.headers.authorization ?? "").replace(/^Bearer /, ""));
    if (request.url === "/api/users/@me" && profile !== undefined) return answer(200, profile);
    answer(404, { message: "404: Not Found" });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const discord = {
    settings: {
      COUNTERSIGN_DISCORD_CLIENT_ID: client.client_id,
      COUNTERSIGN_DISCORD_CLIENT_SECRET: client.client_secret,
      COUNTERSIGN_DISCORD_URL: `http://127.0.0.1:${port}`,
    },
    /** Signs this user in, and returns the URL of the redirect. */
    approve: (authorizeUrl: string, profile: DiscordProfile) => {
      const { redirect_uri = "", state = "" } = Object.fromEntries(new URL(authorizeUrl).searchParams);
      const code = randomBytes(16).toString("hex");
      codes.set(code, { profile, redirect_uri });
      return `${redirect_uri}?code=${code}&state=${encodeURIComponent(state)}`;
    },
    /** The user of a real browser. Null for a user who denies access. */
    visitor: null as DiscordProfile | null,
    answerTo: (asked: URL): string => {
      if (discord.visitor !== null) return discord.approve(asked.href, discord.visitor);
      const { redirect_uri, state = "" } = Object.fromEntries(asked.searchParams);
      return `${redirect_uri}?error=access_denied&state=${encodeURIComponent(state)}`;
    },
    close: () => void server.close(),
  };
  return discord;
}

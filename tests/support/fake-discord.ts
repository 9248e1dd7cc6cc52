import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface DiscordProfile {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly verified: boolean;
}

/** A fake Discord. The test decides which user signs in. */
export interface FakeDiscord {
  readonly settings: Readonly<Record<string, string>>;
  /** Signs this user in, and returns the URL of the redirect. */
  approve(authorizeUrl: string, profile: DiscordProfile): string;
  /** The user of a real browser. Null for a user who denies access. */
  visitor: DiscordProfile | null;
  close(): void;
}

export async function startFakeDiscord(): Promise<FakeDiscord> {
  const clientId = "test-client";
  const clientSecret = "test-client-secret";
  const codes = new Map<string, { profile: DiscordProfile; redirectUri: string }>();
  const tokens = new Map<string, DiscordProfile>();
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.url?.startsWith("/oauth2/authorize?")) {
      response.writeHead(302, {
        location: answerTo(new URL(request.url, discord.settings.COUNTERSIGN_DISCORD_URL)),
      });
      return response.end();
    }
    if (request.method === "POST" && request.url === "/api/oauth2/token") {
      let text = "";
      for await (const chunk of request) text += chunk;
      const form = new URLSearchParams(text);
      const granted = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const isRight =
        granted !== undefined &&
        form.get("client_id") === clientId &&
        form.get("client_secret") === clientSecret &&
        form.get("redirect_uri") === granted.redirectUri &&
        (form.get("code_verifier") ?? "") !== "";
      if (!isRight) return answer(400, { error: "invalid_grant" });
      const token = randomBytes(16).toString("hex");
      tokens.set(token, granted.profile);
      return answer(200, { access_token: token, token_type: "Bearer", expires_in: 604800 });
    }
    const profile = tokens.get((request.headers.authorization ?? "").replace(/^Bearer /, ""));
    if (request.url === "/api/users/@me" && profile !== undefined) return answer(200, profile);
    answer(404, { message: "404: Not Found" });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const discord: FakeDiscord = {
    settings: {
      COUNTERSIGN_DISCORD_CLIENT_ID: clientId,
      COUNTERSIGN_DISCORD_CLIENT_SECRET: clientSecret,
      COUNTERSIGN_DISCORD_URL: `http://127.0.0.1:${port}`,
    },
    approve: (authorizeUrl, profile) => {
      const asked = new URL(authorizeUrl).searchParams;
      const code = randomBytes(16).toString("hex");
      const redirectUri = asked.get("redirect_uri") ?? "";
      codes.set(code, { profile, redirectUri });
      return `${redirectUri}?code=${code}&state=${encodeURIComponent(asked.get("state") ?? "")}`;
    },
    visitor: null,
    close: () => void server.close(),
  };
  return discord;

  function answerTo(asked: URL): string {
    if (discord.visitor !== null) return discord.approve(asked.href, discord.visitor);
    const { redirect_uri: redirectUri, state } = Object.fromEntries(asked.searchParams);
    return `${redirectUri}?error=access_denied&state=${encodeURIComponent(state ?? "")}`;
  }
}

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Certificate } from "./certificate.ts";
import { freePort } from "./free-port.ts";
import { startProgram } from "./program.ts";
import { openRaw, type RawAnswer } from "./raw-http.ts";
import { until } from "./until.ts";

export type ReverseProxy = "nginx" | "nginx behind Cloudflare" | "Caddy" | "Traefik";

const programs = {
  nginx: ["nginx", "-v"],
  caddy: ["caddy", "version"],
  traefik: ["traefik", "version"],
} as const;
type Program = keyof typeof programs;

const howToGet: Record<Program, string> = {
  nginx: "it needs nginx. Install it (on Debian: apt-get install nginx).",
  caddy: "it needs Caddy. Install it (on Debian: apt-get install caddy).",
  traefik:
    "it needs Traefik. Install it from https://github.com/traefik/traefik/releases, and add it to PATH.",
};

const programOf: Record<ReverseProxy, Program> = {
  nginx: "nginx",
  "nginx behind Cloudflare": "nginx",
  Caddy: "caddy",
  Traefik: "traefik",
};

/** Null if the proxy is installed, otherwise what to install. */
export function whyNoProxy(proxy: ReverseProxy): string | null {
  const program = programOf[proxy];
  const [name, ...words] = programs[program];
  const isInstalled = spawnSync(name, words, { stdio: "ignore", env: environment }).error === undefined;
  return isInstalled ? null : howToGet[program];
}

const environment = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:${join(homedir(), "go/bin")}` };

/** The snippet of the manual whose first line names this file. */
function snippet(file: string): string {
  const manual = readFileSync(join(import.meta.dir, "../../docs/operating/proxies.md"), "utf8");
  for (const [, text = ""] of manual.matchAll(/```\w+\n([\s\S]*?)```/g))
    if (text.split("\n")[0]?.includes(file)) return text;
  throw new Error(`The manual has no snippet for ${file}.`);
}

/** A replacement that must be possible: otherwise the snippet that is tested is not the manual's. */
function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(changes)) {
    if (!result.includes(from)) throw new Error(`The snippet of the manual does not contain ${from}.`);
    result = result.replaceAll(from, to);
  }
  return result;
}

/** Cloudflare's servers connect from here. */
export const cloudflareIp = "127.0.0.2";

interface ProxyOptions {
  /** Otherwise free ones. */
  readonly ports?: readonly number[];
  /** For nginx. Otherwise it speaks plain HTTP. */
  readonly certificate?: Certificate;
  /** What is wrong with its settings: parts of the manual's snippet, and what replaces them. */
  readonly changes?: Readonly<Record<string, string>>;
}

/**
 * Starts a proxy with the manual's snippet. Only what cannot be the same here is replaced: the port of Countersign, the
 * port and the certificates of the proxy, the names of files, and the IP addresses of Cloudflare.
 */
export async function startProxy(
  proxy: ReverseProxy,
  countersignPort: number,
  { ports, certificate, changes = {} }: ProxyOptions = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-proxy-"));
  const [port, ...morePorts] = ports ?? [await freePort()];
  if (port === undefined) throw new Error("A proxy needs a port.");
  const to = { "127.0.0.1:3000": `127.0.0.1:${countersignPort}` };
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const words = (): string[] => {
    switch (programOf[proxy]) {
      case "nginx": {
        const tls = certificate === undefined ? "" : " ssl";
        const cloudflare = proxy === "nginx" ? "" : `  include ${folder}/cloudflare.conf;\n`;
        const manual = replaced(snippet("conf.d/countersign.conf"), changes);
        const server = replaced(manual, {
          ...to,
          "  listen 443 ssl;\n  listen [::]:443 ssl;": [port, ...morePorts]
            .map((one) => `  listen 127.0.0.1:${one}${tls};`)
            .join("\n"),
          "  ssl_certificate /etc/ssl/license.example.com.pem;\n":
            certificate === undefined ? "" : `  ssl_certificate ${file("certificate", certificate.cert)};\n`,
          "  ssl_certificate_key /etc/ssl/license.example.com.key;\n":
            certificate === undefined
              ? cloudflare
              : `  ssl_certificate_key ${file("key", certificate.key)};\n`,
        });
        const edge = replaced(snippet("cloudflare.conf"), { "172.64.0.0/13": `${cloudflareIp}/32` });
        file("cloudflare.conf", edge);
        file("countersign.conf", server);
        mkdirSync(join(folder, "temporary"));
        const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
          .map((name) => `${name}_temp_path ${folder}/temporary/${name};`)
          .join("\n");
        const main = `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/errors;
events {}
http { access_log off; ${temporary} include ${folder}/countersign.conf; }
`;
        return ["nginx", "-e", join(folder, "errors"), "-c", file("nginx.conf", main)];
      }
      case "caddy": {
        const site = replaced(replaced(snippet("Caddyfile"), changes), {
          ...to,
          "license.example.com": `http://:${port}`,
        });
        const path = file("Caddyfile", `{\n\tadmin off\n}\n${site}`);
        return ["caddy", "run", "--adapter", "caddyfile", "--config", path];
      }
      case "traefik": {
        const resolver =
          /certificatesResolvers:[\s\S]*?(?=providers:)/.exec(snippet("traefik.yml"))?.[0] ?? "-";
        const routes = replaced(snippet("countersign.yml"), {
          ...to,
          "license.example.com": "127.0.0.1",
          "      tls:\n        certResolver: letsencrypt\n": "",
        });
        const main = replaced(snippet("traefik.yml"), {
          [resolver]: "",
          ":443": `127.0.0.1:${port}`,
          "/etc/traefik/countersign.yml": file("countersign.yml", routes),
        });
        return ["traefik", `--configfile=${file("traefik.yml", main)}`];
      }
    }
  };
  const [path = "", ...rest] = words();
  const program = startProgram("env", [`PATH=${environment.PATH}`, `HOME=${folder}`, path, ...rest], {
    folder,
  });
  await until(`${proxy} answers`, async () => {
    if (program.end !== null) throw new Error(`${proxy} ended: ${program.end.errors}`);
    if (!(await isListening(port))) return false;
    // With wrong settings, it need not reach the server.
    const isRight = certificate === undefined && Object.keys(changes).length === 0;
    return !isRight || (await send(port, "GET /healthz")).status === 200;
  });
  return { port, stop: program.stop };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("error", () => resolve(false));
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** Sends a request through a proxy, header lines byte for byte, from any IP address of 127.0.0.0/8. */
export async function send(
  port: number,
  target: string,
  {
    from = "127.0.0.1",
    lines = [],
    body = "",
  }: { from?: string; lines?: readonly string[]; body?: string } = {},
): Promise<RawAnswer> {
  const raw = await openRaw(port, { localAddress: from });
  const head = [`${target} HTTP/1.1`, "Host: 127.0.0.1", `Content-Length: ${body.length}`, ...lines];
  raw.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  try {
    const answer = await raw.answer();
    if (answer === null) throw new Error("The proxy closed the connection.");
    return answer;
  } finally {
    raw.close();
  }
}

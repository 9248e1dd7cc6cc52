import curl from "../../../sdks/snippets/curl.sh?raw";
import express from "../../../sdks/snippets/express.mjs?raw";
import java from "../../../sdks/snippets/Licensed.java?raw";
import spring from "../../../sdks/snippets/LicensedApplication.java?raw";
import django from "../../../sdks/snippets/licensed_django.py?raw";
import fastapi from "../../../sdks/snippets/licensed_fastapi.py?raw";
import nestjs from "../../../sdks/snippets/nestjs.ts?raw";
import node from "../../../sdks/snippets/node.mjs?raw";
import python from "../../../sdks/snippets/python.py?raw";
import signedCurl from "../../../sdks/snippets/signed/curl.sh?raw";
import signedExpress from "../../../sdks/snippets/signed/express.mjs?raw";
import signedJava from "../../../sdks/snippets/signed/Licensed.java?raw";
import signedSpring from "../../../sdks/snippets/signed/LicensedApplication.java?raw";
import signedDjango from "../../../sdks/snippets/signed/licensed_django.py?raw";
import signedFastapi from "../../../sdks/snippets/signed/licensed_fastapi.py?raw";
import signedNestjs from "../../../sdks/snippets/signed/nestjs.ts?raw";
import signedNode from "../../../sdks/snippets/signed/node.mjs?raw";
import signedPython from "../../../sdks/snippets/signed/python.py?raw";
import type { Platform } from "./platforms.ts";

/** The values in a snippet. Keys are not among them: they are read from the environment. */
interface SnippetValues {
  /** The URL of this server, without a trailing slash. */
  readonly server: string;
  readonly productId: string;
  /** Whether responses are signed and must be verified. */
  readonly isSigned: boolean;
}

interface Snippet {
  readonly file: string;
  readonly plain: string;
  readonly signed: string;
  /** How to add the SDK, as a command or as lines of a build file. Null if nothing is needed. */
  readonly install: string | null;
}

/** The examples from the SDK folders, which the SDK tests run against a real server. */
const snippets: Record<Platform, Snippet> = {
  curl: { file: "validate.sh", plain: curl, signed: signedCurl, install: null },
  node: { file: "app.mjs", plain: node, signed: signedNode, install: "npm install @countersign/node" },
  express: {
    file: "app.mjs",
    plain: express,
    signed: signedExpress,
    install: "npm install express @countersign/express @countersign/node",
  },
  nestjs: {
    file: "main.ts",
    plain: nestjs,
    signed: signedNestjs,
    install: "npm install @countersign/nestjs @countersign/node",
  },
  python: { file: "app.py", plain: python, signed: signedPython, install: "pip install countersign" },
  fastapi: {
    file: "app.py",
    plain: fastapi,
    signed: signedFastapi,
    install: 'pip install "countersign[fastapi]" uvicorn',
  },
  django: {
    file: "settings.py, views.py",
    plain: django,
    signed: signedDjango,
    install: 'pip install "countersign[django]"',
  },
  java: {
    file: "Licensed.java",
    plain: java,
    signed: signedJava,
    install: mavenDependency("countersign-java"),
  },
  spring: {
    file: "LicensedApplication.java",
    plain: spring,
    signed: signedSpring,
    install: mavenDependency("countersign-spring-boot-starter"),
  },
};

export function snippetFor(platform: Platform, { server, productId, isSigned }: SnippetValues) {
  const { file, plain, signed, install } = snippets[platform];
  const text = (isSigned ? signed : plain)
    .replaceAll("https://license.example.com", server)
    .replaceAll("PRODUCT-ID", productId)
    .trimEnd();
  return { file, text, install };
}

function mavenDependency(artifact: string): string {
  return `<dependency>
  <groupId>io.countersign</groupId>
  <artifactId>${artifact}</artifactId>
  <version>0.2.0</version>
</dependency>`;
}

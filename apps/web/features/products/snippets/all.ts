import { curl } from "./curl.ts";
import { express } from "./express.ts";
import { java } from "./java.ts";
import { nestjs } from "./nestjs.ts";
import { node } from "./node.ts";
import type { Platform } from "./platforms.ts";
import { python } from "./python.ts";
import type { Blanks, Snippet } from "./snippet.ts";

export const snippets: Record<Platform, (blanks: Blanks) => Snippet[]> = {
  curl,
  node,
  express,
  nestjs,
  python,
  java,
};

import { useEffect, useState } from "react";
import { copyText } from "./copy-text.ts";

const saidForMs = 1_500;

/** Copies a text, and reports success for a moment. */
export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copiedAt, setCopiedAt] = useState<number | null>(null);
  useEffect(() => {
    if (copiedAt === null) return;
    const timer = setTimeout(() => setCopiedAt(null), saidForMs);
    return () => clearTimeout(timer);
  }, [copiedAt]);
  const copy = async (text: string) => {
    if (await copyText(text)) setCopiedAt(performance.now());
  };
  return { copied: copiedAt !== null, copy: (text) => void copy(text) };
}

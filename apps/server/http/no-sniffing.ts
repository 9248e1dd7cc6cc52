/** Browsers use the content type as it is sent, and never guess that a file or an answer is a page or a script. */
export const noSniffing = { "x-content-type-options": "nosniff" } as const;

/** The same for a response that already exists. */
export function withoutSniffing(response: Response): Response {
  for (const [name, value] of Object.entries(noSniffing)) response.headers.set(name, value);
  return response;
}

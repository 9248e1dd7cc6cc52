/** Is told about a request when it arrives. */
export type RequestObserver = (request: Request, requestId: string) => ObservedRequest;

/** Is told what became of it. */
export interface ObservedRequest {
  /** The route it matched: its ID, and its path without values. */
  routed(id: string, path: string): void;
  done(status: number): void;
}

const nobody: ObservedRequest = { routed: () => {}, done: () => {} };

export const unobserved: RequestObserver = () => nobody;

/** For a handler that has no routes. */
export async function observed(
  observer: RequestObserver,
  request: Request,
  requestId: string,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  const { done } = observer(request, requestId);
  const response = await answer();
  done(response.status);
  return response;
}

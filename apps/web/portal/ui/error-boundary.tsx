import { Component, type ReactNode } from "react";
import { Failed } from "./state.tsx";

interface State {
  readonly error: Error | null;
}

/** For errors that no page handles. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    return error === null ? (
      this.props.children
    ) : (
      <Failed error={error} again={() => this.setState({ error: null })} />
    );
  }
}

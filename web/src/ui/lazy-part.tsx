import { Component, lazy, Suspense, type ComponentType, type ReactNode } from "react";
import { isMissingPart, retryStyles } from "./missing-parts";
import { PartFailure } from "./PartFailure";

/** What is shown instead of a part that cannot be loaded: a notice with a retry, also as a page or in a dialog, nothing, or what is shown before it is loaded. */
type WhenFailed = "notice" | "page" | "dialog" | "nothing" | "fallback";

interface LazyOptions {
  whenFailed?: WhenFailed;
}

/** A component that is loaded when it is first rendered. */
export type LazyPart<Props> = ComponentType<Props & { fallback?: ReactNode }> & {
  /** Loads it ahead; a failure is left to its first rendering. */
  preload: () => void;
};

/**
 * Returns a component that is loaded when it is first rendered. Unlike `lazy` of React, what could not be loaded is
 * contained in its place and can be tried again: the page around it stays.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>, { whenFailed = "notice" }: LazyOptions = {}): LazyPart<Props> {
  const create = () => lazy(async () => ({ default: (await load()) as ComponentType<object> }));
  let Part = create();
  const forget = () => {
    retryStyles();
    Part = create();
  };
  function Placed({ fallback, ...props }: Props & { fallback?: ReactNode }) {
    return (
      <PartBoundary whenFailed={whenFailed} fallback={fallback} onRetry={forget} onClose={"onClose" in props ? (props.onClose as () => void) : undefined}>
        {() => (
          <Suspense fallback={fallback}>
            <Part {...props} />
          </Suspense>
        )}
      </PartBoundary>
    );
  }
  Placed.preload = () => {
    load().catch(() => undefined);
  };
  return Placed;
}

interface PartBoundaryProps {
  whenFailed: WhenFailed;
  fallback: ReactNode;
  onRetry: () => void;
  /** Closes the dialog that it is. */
  onClose: (() => void) | undefined;
  /** Renders the part; called again when it is tried again. */
  children: () => ReactNode;
}

interface PartBoundaryState {
  error: Error | undefined;
  /** How often it was tried again. */
  retries: number;
}

/** Contains the failure to load a part; other errors reach the boundary around it. */
class PartBoundary extends Component<PartBoundaryProps, PartBoundaryState> {
  override state: PartBoundaryState = { error: undefined, retries: 0 };

  static getDerivedStateFromError(error: Error): Partial<PartBoundaryState> {
    return { error };
  }

  override componentWillUnmount() {
    // A later opening tries again.
    if (this.state.error) this.props.onRetry();
  }

  retry = () => {
    this.props.onRetry();
    this.setState(({ retries }) => ({ error: undefined, retries: retries + 1 }));
  };

  override render() {
    const { error, retries } = this.state;
    const { whenFailed, fallback, children } = this.props;
    if (!error) return children();
    if (!isMissingPart(error)) throw error;
    if (whenFailed === "nothing") return null;
    if (whenFailed === "fallback") return fallback;
    return <PartFailure as={whenFailed} retries={retries} onRetry={this.retry} onClose={this.props.onClose} />;
  }
}

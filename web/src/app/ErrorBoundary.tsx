import { Trans } from "@lingui/react/macro";
import { Component, type ReactNode } from "react";
import { Button } from "@/ui/Button";
import { isMissingPart } from "@/ui/missing-parts";
import { Notice } from "@/ui/Notice";
import styles from "./App.module.css";

/** Shows render errors instead of an empty page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className={styles.center}>
        <Notice
          tone="danger"
          actions={
            <Button size="sm" onClick={() => location.reload()}>
              <Trans>Reload</Trans>
            </Button>
          }
        >
          {isMissingPart(error) ? (
            <Trans>A new version is available. Reload to use it.</Trans>
          ) : (
            <Trans>Something went wrong on this page: {error.message}</Trans>
          )}
        </Notice>
      </div>
    );
  }
}

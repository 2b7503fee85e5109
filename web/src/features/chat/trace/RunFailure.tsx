import { Trans } from "@lingui/react/macro";
import { errorWords } from "@/api/error-words";
import type { RunErrorJson } from "@/gen/echomind/public/v1/run_pb";
import { Notice } from "@/ui/Notice";
import styles from "./RunFailure.module.css";

/** The error of a run; with details that only superadmins get, such as the error of the model's server. */
export function RunFailure({ error }: { error: RunErrorJson | undefined }) {
  if (!error?.message) return null;
  return (
    <Notice tone="danger">
      {errorWords(error.reason ?? "", error.message)}
      <ErrorDetail detail={error.detail} />
    </Notice>
  );
}

/** Details of a server error for operators; renders nothing for others. */
export function ErrorDetail({ detail }: { detail: string | undefined }) {
  if (!detail) return null;
  return (
    <details className={styles.detail}>
      <summary><Trans>Details for administrators</Trans></summary>
      <pre>{detail}</pre>
    </details>
  );
}

import { Trans } from "@lingui/react/macro";
import { CloudOff } from "lucide-react";
import { useConnection } from "./connection";
import styles from "./ConnectionBanner.module.css";

/** Says so while EchoMind cannot be reached. The region is always there, so that screen readers announce its text. */
export function ConnectionBanner() {
  const state = useConnection();
  return (
    <div role="status" className={styles.region}>
      {state !== "online" && (
        <p className={styles.banner}>
          <CloudOff size={16} aria-hidden />
          {state === "offline" ? (
            <Trans>You are offline. What is open stays; a running answer continues on the server.</Trans>
          ) : (
            <Trans>EchoMind cannot be reached. Trying again …</Trans>
          )}
        </p>
      )}
    </div>
  );
}

import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { setupKeys, setupQuery, useUpdateSetup } from "@/data/setup";
import { ConnectModelDialog } from "@/features/llms/ConnectModelDialog";
import { Button } from "@/ui/Button";
import type { StepProps } from "./step-props";
import styles from "../SetupPage.module.css";

/** Connects a model, or stays with the one that quotes. */
export function ModelStep({ isDone, onDone }: StepProps) {
  const client = useQueryClient();
  const [isConnecting, setConnecting] = useState(false);
  const update = useUpdateSetup();
  const quote = () => {
    const { skipped = [] } = client.getQueryData(setupQuery.queryKey) ?? {};
    update.mutate({ skipped: [...new Set([...skipped, "SETUP_STEP_KIND_MODEL" as const])] }, { onSuccess: onDone });
  };
  const close = () => {
    setConnecting(false);
    void client.invalidateQueries({ queryKey: setupKeys.all });
  };
  return (
    <>
      <div className={styles.choices}>
        <section className={styles.choice}>
          <h2>
            <Trans>Answers in full sentences</Trans>
          </h2>
          <p>
            <Trans>
              Connect a model of OpenAI, Anthropic, or one on your own machines, such as Ollama or vLLM. Questions, the
              conversation so far and the passages that are found are sent to it.
            </Trans>
          </p>
          {isDone ? (
            <Button variant="primary" onClick={onDone}>
              <Trans>Connected: continue</Trans>
            </Button>
          ) : (
            <Button variant="primary" onClick={() => setConnecting(true)}>
              <Trans>Connect a model</Trans>
            </Button>
          )}
        </section>
        <section className={styles.choice}>
          <h2>
            <Trans>Quotes from your documents</Trans>
          </h2>
          <p>
            <Trans>The built-in model finds and quotes the matching passages. It needs no key, and nothing leaves this machine.</Trans>
          </p>
          <Button onClick={quote} disabled={update.isPending}>
            <Trans>Stay with quotes</Trans>
          </Button>
        </section>
      </div>
      {isConnecting && <ConnectModelDialog onClose={close} />}
    </>
  );
}

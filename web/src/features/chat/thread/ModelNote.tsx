import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Quote } from "lucide-react";
import { useState } from "react";
import { llmOf, useAssistants } from "@/data/assistants";
import { llmsQuery } from "@/data/llms";
import { hasRole, useCurrentUser } from "@/data/users";
import { lazyPart } from "@/ui/lazy-part";
import styles from "./ModelNote.module.css";

const ConnectModelDialog = lazyPart(async () => (await import("@/features/llms/ConnectModelDialog")).ConnectModelDialog, { whenFailed: "dialog" });

/**
 * The model that answers now, by id (0: not known yet): the preferred one or the assistant's; and which models only
 * quote. While the conversation or the assistants are being loaded, the default model is not taken for theirs.
 */
export function useModels(assistantId: number, preferred: number, isLoaded: boolean) {
  const { data: llms = [] } = useQuery(llmsQuery);
  const { assistant, isSuccess } = useAssistants(assistantId);
  return {
    current: (isLoaded && isSuccess && llmOf(assistant, llms, preferred)?.id) || 0,
    nameOf: (llmId: number) => llms.find(({ id }) => id === llmId)?.name ?? "",
    isExtractive: (llmId: number) => llms.find(({ id }) => id === llmId)?.provider === "LLM_PROVIDER_EXTRACTIVE",
  };
}

/** Explains that the built-in model only quotes, if it is in use, and offers to connect another one. */
export function ModelNote({ isExtractive }: { isExtractive: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const mayConnect = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  return (
    <>
      {isExtractive && (
        <div className={styles.note}>
          <Quote size={13} aria-hidden />
          <Trans>Quotes from your documents — no language model connected.</Trans>{" "}
          {mayConnect ? (
            <button type="button" className={styles.connect} onClick={() => setOpen(true)}>
              <Trans>Connect a model</Trans>
            </button>
          ) : (
            <Trans>An administrator can connect one.</Trans>
          )}
        </div>
      )}
      {isOpen && (
        <ConnectModelDialog onClose={() => setOpen(false)} />
      )}
    </>
  );
}

/** Marks an answer of the built-in model. */
export function QuotedNote() {
  return (
    <p className={styles.note}>
      <Quote size={13} aria-hidden />
      <Trans>Quoted from your documents by the built-in model.</Trans>
    </p>
  );
}

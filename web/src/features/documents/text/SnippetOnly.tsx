import { useLingui } from "@lingui/react/macro";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { Notice } from "@/ui/Notice";
import styles from "./DocumentText.module.css";

/** The cited words, if their position in the document cannot be shown, with the reason. */
export function SnippetOnly({ citation, reason, tone = "warn" }: { citation: CitationJson; reason: string; tone?: "warn" | "info" }) {
  const { t } = useLingui();
  return (
    <>
      <Notice tone={tone}>{citation.snippet ? t`${reason} The cited text:` : reason}</Notice>
      {citation.snippet && (
        <blockquote className={styles.text}>
          <mark className={styles.mark}>{citation.snippet}</mark>
        </blockquote>
      )}
    </>
  );
}

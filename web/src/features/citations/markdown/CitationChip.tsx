import { Trans, useLingui } from "@lingui/react/macro";
import * as Tooltip from "@radix-ui/react-tooltip";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { Badge } from "@/ui/Badge";
import { classes } from "@/ui/classes";
import { fileNameOf, hostOf, titleOf } from "../citations";
import styles from "./CitationChip.module.css";

interface CitationChipProps {
  citation: CitationJson;
  /** Opens the source; left out while the answer is being written. */
  onOpen?: ((citation: CitationJson) => void) | undefined;
  /** What opening it does; by default, that it opens the document. */
  openHint?: string | undefined;
}

/** The number of a source in an answer. Pointing at it shows the passage, clicking opens it. */
export function CitationChip({ citation, onOpen, openHint }: CitationChipProps) {
  const { t } = useLingui();
  const isUnsupported = !citation.supported;
  const label = [
    t`Source ${citation.number ?? 0}: ${titleOf(citation)}`,
    citation.page ? t`page ${citation.page}` : "",
    isUnsupported ? t`does not support this sentence` : "",
  ]
    .filter(Boolean)
    .join(", ");
  return (
    <Tooltip.Provider delayDuration={150}>
      <Tooltip.Root>
        <Tooltip.Trigger asChild>
          <button
            type="button"
            className={classes(styles.chip, isUnsupported && styles.unsupported)}
            aria-label={label}
            onClick={() => onOpen?.(citation)}
          >
            {citation.number}
            {isUnsupported && <span aria-hidden>?</span>}
          </button>
        </Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content aria-label={citation.snippet || label} className={styles.card} side="top" sideOffset={6} collisionPadding={12}>
            <CitationSummary citation={citation} />
            {onOpen && <p className={styles.hint}>{openHint ?? <OpenHint citation={citation} />}</p>}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  );
}

function OpenHint({ citation }: { citation: CitationJson }) {
  return citation.url ? <Trans>Click to see what was read there</Trans> : <Trans>Click to read it in the document</Trans>;
}

function CitationSummary({ citation }: { citation: CitationJson }) {
  return (
    <>
      <p className={styles.title}>{titleOf(citation)}</p>
      <p className={styles.meta}>
        {fileNameOf(citation) && <span>{fileNameOf(citation)}</span>}
        {citation.page && <span><Trans>Page {citation.page}</Trans></span>}
        {citation.url && <span>{hostOf(citation)}</span>}
        {!citation.supported && <Badge tone="warn"><Trans>Not supported by the source</Trans></Badge>}
      </p>
      {citation.snippet && <blockquote className={styles.snippet}>{citation.snippet}</blockquote>}
    </>
  );
}

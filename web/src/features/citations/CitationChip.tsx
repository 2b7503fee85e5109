import * as HoverCard from "@radix-ui/react-hover-card";
import { useState } from "react";
import type { CitationJson } from "@/gen/echomind/public/v1/run_pb";
import { classes } from "@/ui/classes";
import { Badge } from "@/ui/Badge";
import { titleOf } from "./citations";
import styles from "./CitationChip.module.css";

interface CitationChipProps {
  citation: CitationJson;
  /** Opens the source; left out while the answer is being written. */
  onOpen?: ((citation: CitationJson) => void) | undefined;
}

/** The number of a source in an answer. Pointing at it shows the passage, clicking opens it in its document. */
export function CitationChip({ citation, onOpen }: CitationChipProps) {
  const [isShown, setShown] = useState(false);
  // Once opened, the source is beside the answer: the card stays away until the pointer has left.
  const [isOpened, setOpened] = useState(false);
  const isUnsupported = !citation.supported;
  const label = [
    `Source ${citation.number ?? 0}: ${titleOf(citation)}`,
    citation.page ? `page ${citation.page}` : "",
    isUnsupported ? "does not support this sentence" : "",
  ];
  return (
    <HoverCard.Root open={isShown && !isOpened} onOpenChange={setShown} openDelay={150} closeDelay={100}>
      <HoverCard.Trigger asChild>
        <button
          type="button"
          className={classes(styles.chip, isUnsupported && styles.unsupported)}
          aria-label={label.filter(Boolean).join(", ")}
          onClick={() => {
            if (!onOpen) return;
            setOpened(true);
            onOpen(citation);
          }}
          onPointerLeave={() => setOpened(false)}
        >
          {citation.number}
          {isUnsupported && <span aria-hidden>?</span>}
        </button>
      </HoverCard.Trigger>
      <HoverCard.Portal>
        <HoverCard.Content className={styles.card} side="top" sideOffset={6} collisionPadding={12}>
          <CitationSummary citation={citation} />
          {onOpen && <p className={styles.hint}>Click to read it in the document</p>}
        </HoverCard.Content>
      </HoverCard.Portal>
    </HoverCard.Root>
  );
}

function CitationSummary({ citation }: { citation: CitationJson }) {
  return (
    <>
      <p className={styles.title}>{titleOf(citation)}</p>
      <p className={styles.meta}>
        {citation.page && <span>Page {citation.page}</span>}
        {!citation.supported && <Badge tone="warn">Not supported by the source</Badge>}
      </p>
      {citation.snippet && <blockquote className={styles.snippet}>{citation.snippet}</blockquote>}
    </>
  );
}

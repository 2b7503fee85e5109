import type { ReactNode } from "react";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { SourcePanel } from "./SourcePanel";
import styles from "./WithSource.module.css";

interface WithSourceProps {
  /** The page; it scrolls by itself. */
  children: ReactNode;
  /** The passage that is open; undefined for none. */
  citation: CitationJson | undefined;
  onClose: () => void;
  /** Shows the citation before or after it; left out where there is none. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
}

/** A page with a cited passage beside it, in its document. */
export function WithSource({ children, citation, ...source }: WithSourceProps) {
  return (
    <div className={styles.split}>
      <div className={styles.main}>{children}</div>
      {citation && <SourcePanel citation={citation} {...source} />}
    </div>
  );
}

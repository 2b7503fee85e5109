import { Plural } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { waitingRunsQuery } from "@/data/runs";
import styles from "./InboxCount.module.css";

/** How many runs wait for the reader; nothing for none. */
export function InboxCount() {
  const { data: runs = [] } = useQuery(waitingRunsQuery);
  if (runs.length === 0) return null;
  return (
    <span className={styles.count}>
      <span aria-hidden>{runs.length}</span>
      <span className="visually-hidden">
        <Plural value={runs.length} one="# waiting" other="# waiting" />
      </span>
    </span>
  );
}

import { Plural } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { waitingRunsQuery } from "@/data/runs";
import styles from "./InboxCount.module.css";

/** Number of runs that wait for the reader; renders nothing for none. */
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

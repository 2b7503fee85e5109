import { Trans, useLingui } from "@lingui/react/macro";
import { useQueries } from "@tanstack/react-query";
import { Link } from "wouter";
import { memoryQuery } from "@/data/memories";
import { Spinner } from "@/ui/Spinner";
import styles from "./memories.module.css";

/** The texts of memories by their ids; deleted ones are counted. */
export function MemoryNotes({ ids }: { ids: readonly number[] }) {
  const { t } = useLingui();
  const found = useQueries({ queries: ids.map((id) => memoryQuery(id)) });
  if (found.some(({ isPending }) => isPending)) return <Spinner label={t`Loading memories`} />;
  const missing = found.filter(({ data }) => !data).length;
  return (
    <div className={styles.notes}>
      <ul>
        {found.map(({ data }, index) => data && <li key={ids[index]}>{data.content}</li>)}
        {missing > 0 && (
          <li className={styles.quiet}>
            <Trans>Deleted since then: {missing}</Trans>
          </li>
        )}
      </ul>
      <Link href="/settings/memory">
        <Trans>Manage memories</Trans>
      </Link>
    </div>
  );
}

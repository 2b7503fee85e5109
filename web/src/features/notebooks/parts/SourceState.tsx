import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { serverWords } from "@/api/error-words";
import { groupName } from "@/data/groups";
import { isBeingRead, notebookMembersQuery, useGiveAccess } from "@/data/notebooks";
import type { NotebookSourceJson } from "@/gen/echomind/public/v1/notebook_pb";
import { Button } from "@/ui/Button";
import { Spinner } from "@/ui/Spinner";
import { showFailure, showToast } from "@/ui/toasts";
import styles from "../notebooks.module.css";

/** How far a source is read, and which members may not read it. Says nothing of one that is ready for everybody. */
export function SourceState({ notebookId, source }: { notebookId: string; source: NotebookSourceJson }) {
  const { t } = useLingui();
  const { documents = 0, documentsReady = 0, documentsFailed = 0, statusMessage = "", connectorId } = source;
  return (
    <>
      {isBeingRead(source) && (
        <span className={styles.state}>
          <Spinner /> {connectorId ? t`Reading: ${documentsReady} of ${documents} ready` : t`Being read`}
        </span>
      )}
      {source.isReadable && connectorId && documents === 0 && !statusMessage && (
        <span className={styles.state}>
          <Trans>No documents yet</Trans>
        </span>
      )}
      {documentsFailed > 0 && (
        <span className={styles.failed}>
          {connectorId ? <Plural value={documentsFailed} one="# document could not be read" other="# documents could not be read" /> : t`Could not be read`}
        </span>
      )}
      {statusMessage && <span className={styles.failed}>{serverWords(statusMessage)}</span>}
      <Unreadable notebookId={notebookId} source={source} />
    </>
  );
}

function Unreadable({ notebookId, source }: { notebookId: string; source: NotebookSourceJson }) {
  const { t } = useLingui();
  const { id = "", title = "", unreadableBy = [], unreadableByGroups = [], accessScope, accessGroup = "" } = source;
  const { data: { members, groups } = { members: [], groups: [] } } = useQuery(notebookMembersQuery(notebookId));
  const gift = useGiveAccess(notebookId);
  if (unreadableBy.length + unreadableByGroups.length === 0) return null;
  const people = members.filter(({ userId = 0 }) => unreadableBy.includes(userId)).map(({ name, userName = "" }) => name || userName);
  const groupNames = groups.filter(({ groupId = 0 }) => unreadableByGroups.includes(groupId)).map((group) => {
    const name = groupName(group);
    return t`some of ${name}`;
  });
  const names = [...people, ...groupNames].join(", ");
  const canGive = accessScope !== undefined && accessScope !== "SCOPE_UNSPECIFIED";
  const readers = accessScope === "SCOPE_GROUP" ? t`the group ${accessGroup}` : t`everyone`;
  const give = () =>
    gift.mutate([id], {
      onError: showFailure,
      onSuccess: () => showToast({ message: t`${title} is visible to ${readers} now.` }),
    });
  return (
    <span className={styles.state}>
      <span>{t`Cannot read it: ${names}`}</span>
      {canGive && (
        <>
          <Button size="sm" disabled={gift.isPending} onClick={give}>
            <Trans>Give the members access</Trans>
          </Button>
          <span>{t`Makes it visible to ${readers}`}</span>
        </>
      )}
    </span>
  );
}

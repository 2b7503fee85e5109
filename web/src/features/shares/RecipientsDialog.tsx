import { Trans, useLingui } from "@lingui/react/macro";
import { UserMinus, Users } from "lucide-react";
import { useState } from "react";
import type { Recipient } from "@/data/directory";
import { useChangeRecipients } from "@/data/shares";
import { PeoplePicker } from "@/features/directory/PeoplePicker";
import type { SessionShareJson, SessionShareRecipientJson } from "@/gen/echomind/public/v1/session_share_pb";
import { Button, IconButton } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { recipientName, recipientsOf } from "./recipients";
import styles from "./RecipientsDialog.module.css";

/** The people and groups of a share, who are added and removed. */
export function RecipientsDialog({ share, onClose }: { share: SessionShareJson; onClose: () => void }) {
  const { t } = useLingui();
  const { recipients = [] } = share;
  const [chosen, setChosen] = useState<Recipient[]>([]);
  const change = useChangeRecipients(share);
  const add = () => change.mutate({ added: recipientsOf(chosen) }, { onSuccess: () => setChosen([]) });
  return (
    <Dialog title={t`People and groups`} onClose={onClose}>
      <div className={styles.body}>
        {recipients.length === 0 ? (
          <p className={styles.empty}>
            <Trans>It is shared with nobody by name.</Trans>
          </p>
        ) : (
          <ul className={styles.list} aria-label={t`Shared with`}>
            {recipients.map((recipient) => (
              <li key={`${recipient.userId}-${recipient.groupId}`}>
                <span className={styles.name}>
                  {recipient.group && <Users size={14} aria-hidden />} {recipientName(recipient)}
                </span>
                <IconButton
                  label={t`Remove ${recipientName(recipient)}`}
                  disabled={change.isPending}
                  onClick={() => change.mutate({ removed: [idOf(recipient)] })}
                >
                  <UserMinus size={16} />
                </IconButton>
              </li>
            ))}
          </ul>
        )}
        <PeoplePicker
          key={change.submittedAt}
          value={chosen}
          onChange={setChosen}
          withGroups
          hint={t`They see it as it was shared, without what came later.`}
          excluded={({ kind, id }) => recipients.some(({ userId, groupId }) => (kind === "person" ? userId : groupId) === id)}
        />
        {change.error && <Notice tone="danger">{change.error.message}</Notice>}
      </div>
      <DialogActions>
        <Button onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
        <Button variant="primary" disabled={chosen.length === 0 || change.isPending} onClick={add}>
          {change.isPending && <Spinner />} <Trans>Add</Trans>
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function idOf({ userId, groupId }: SessionShareRecipientJson): SessionShareRecipientJson {
  return userId ? { userId } : { groupId: groupId ?? 0 };
}

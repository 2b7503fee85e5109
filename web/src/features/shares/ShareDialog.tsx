import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Recipient } from "@/data/directory";
import { installationSettingsQuery, sessionSharesQuery, sharePreviewQuery, useCreateShare } from "@/data/shares";
import { PeoplePicker } from "@/features/directory/PeoplePicker";
import { fullAddressOf, isLoopback } from "@/ui/base-path";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { CheckField, SelectField } from "@/ui/Field";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { SecretField } from "@/ui/SecretField";
import { Spinner } from "@/ui/Spinner";
import { showToast } from "@/ui/toasts";
import { recipientsOf } from "./recipients";
import { LIFETIMES } from "./share-words";
import { SharedConversation } from "./SharedConversation";
import { ShareRows } from "./ShareRows";
import styles from "./ShareDialog.module.css";

/** Shares a conversation with people or by a link, previews what they will see, and lists the shares that there are. */
export function ShareDialog({ session, onClose }: { session: string; onClose: () => void }) {
  const { t } = useLingui();
  const { data: shares, error, refetch } = useQuery(sessionSharesQuery(session));
  return (
    <Dialog title={t`Share conversation`} onClose={onClose} isWide>
      <div className={styles.body}>
        <NewShare session={session} />
        {error && <LoadFailure error={error} onRetry={refetch} />}
        {shares && shares.length > 0 && (
          <section className={styles.shares}>
            <h3 className={styles.heading}>
              <Trans>Who can read this conversation</Trans>
            </h3>
            <ShareRows shares={shares} isOfOneSession />
          </section>
        )}
      </div>
      <DialogActions>
        <Button onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function NewShare({ session }: { session: string }) {
  const { t } = useLingui();
  const { data: settings } = useQuery(installationSettingsQuery);
  const [chosen, setChosen] = useState<Recipient[]>([]);
  const [days, setDays] = useState("30");
  const [showsQuotes, setShowsQuotes] = useState(false);
  const [wantsLink, setWantsLink] = useState(false);
  const preview = useQuery(sharePreviewQuery(session, showsQuotes));
  const creation = useCreateShare(session);
  const isOff = settings?.linkSharing === "LINK_SHARING_NOBODY";
  const hasLink = wantsLink || chosen.length === 0;
  const create = () =>
    creation.mutate(
      { days: Number(days), showsQuotes, hasLink, recipients: recipientsOf(chosen) },
      {
        onSuccess: () => {
          if (chosen.length > 0) showToast({ message: t`Shared. They find it under Shared with you.` });
          setChosen([]);
          setWantsLink(false);
        },
      },
    );
  const path = creation.data?.path;
  if (path) return <NewLink path={path} onAgain={() => creation.reset()} />;
  return (
    <>
      {isOff && (
        <Notice tone="warn">
          <Trans>Sharing is switched off. A superadmin can allow it.</Trans>
        </Notice>
      )}
      <PeoplePicker
        // Without the text that was typed for the last share.
        key={creation.submittedAt}
        value={chosen}
        onChange={setChosen}
        withGroups
        hint={t`They sign in and find it under Shared with you. Choose nobody to make a link instead.`}
      />
      <div className={styles.options}>
        <SelectField
          label={t`Works for`}
          value={days}
          options={LIFETIMES.map(({ value, label }) => ({ value, label: t(label) }))}
          onChange={setDays}
        />
        <div className={styles.checks}>
          <CheckField
            label={t`Show the cited words`}
            hint={t`Never those of documents whose readers the connected system decides.`}
            checked={showsQuotes}
            onChange={setShowsQuotes}
          />
          {chosen.length > 0 && <CheckField label={t`Make a link, too`} checked={wantsLink} onChange={setWantsLink} />}
        </div>
      </div>
      <section className={styles.shares} aria-labelledby="share-preview">
        <h3 id="share-preview" className={styles.heading}>
          <Trans>What they will see</Trans>
        </h3>
        {preview.isPending && <Spinner label={t`Loading the preview`} />}
        {preview.error && <Notice tone="danger">{preview.error.message}</Notice>}
        {preview.data && (
          // It scrolls, so it must be reachable by keyboard.
          // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          <div className={styles.preview} tabIndex={0} role="group" aria-labelledby="share-preview">
            <p className={styles.heading}>{preview.data.title}</p>
            <SharedConversation shared={preview.data} isWithoutTitle />
          </div>
        )}
      </section>
      {hasLink && <p className={styles.text}>{linkText(settings?.linkSharing === "LINK_SHARING_SIGNED_IN")}</p>}
      {creation.error && <Notice tone="danger">{creation.error.message}</Notice>}
      <div className={styles.submit}>
        <Button variant="primary" disabled={isOff || creation.isPending || !preview.data} onClick={create}>
          {creation.isPending && <Spinner />} {chosen.length > 0 ? <Trans>Share</Trans> : <Trans>Create link</Trans>}
        </Button>
      </div>
    </>
  );
}

function linkText(needsSignIn: boolean) {
  return needsSignIn ? <Trans>Anyone with the link who is signed in can read this.</Trans> : <Trans>Anyone with the link can read this, without signing in.</Trans>;
}

function NewLink({ path, onAgain }: { path: string; onAgain: () => void }) {
  const { t } = useLingui();
  return (
    <>
      {isLoopback(location.hostname) && (
        <Notice tone="warn">
          <Trans>
            Only this machine can open this link, because you use EchoMind at {location.origin}. Open EchoMind at the address that others
            use, and make the link there.
          </Trans>
        </Notice>
      )}
      <SecretField label={t`Link`} value={fullAddressOf(path)} hint={t`Copy it now. It will not be shown again.`} />
      <div>
        <Button onClick={onAgain}>
          <Trans>Share with others</Trans>
        </Button>
      </div>
    </>
  );
}

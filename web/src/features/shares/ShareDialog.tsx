import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { installationSettingsQuery, sessionSharesQuery, useCreateShare } from "@/data/shares";
import { fullAddressOf } from "@/ui/base-path";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { SelectField } from "@/ui/Field";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { SecretField } from "@/ui/SecretField";
import { Spinner } from "@/ui/Spinner";
import { LIFETIMES } from "./share-words";
import { ShareRows } from "./ShareRows";
import styles from "./ShareDialog.module.css";

/** Shares a conversation by a link, and shows the links that there are. */
export function ShareDialog({ session, onClose }: { session: string; onClose: () => void }) {
  const { t } = useLingui();
  const { data: shares, error, refetch } = useQuery(sessionSharesQuery(session));
  const { data: settings } = useQuery(installationSettingsQuery);
  const [days, setDays] = useState("30");
  const creation = useCreateShare(session);
  const isOff = settings?.linkSharing === "LINK_SHARING_NOBODY";
  const path = creation.data?.path;
  return (
    <Dialog title={t`Share conversation`} onClose={onClose}>
      <div className={styles.body}>
        <p className={styles.text}>
          {settings?.linkSharing === "LINK_SHARING_SIGNED_IN" ? (
            <Trans>Anyone with the link who is signed in can read the questions, the answers and the titles of their sources, as they are now.</Trans>
          ) : (
            <Trans>Anyone with the link can read the questions, the answers and the titles of their sources, as they are now. No sign-in is needed.</Trans>
          )}
        </p>
        {isOff && (
          <Notice tone="warn">
            <Trans>Sharing is switched off. A superadmin can allow it.</Trans>
          </Notice>
        )}
        {path ? (
          <SecretField label={t`Link`} value={fullAddressOf(path)} hint={t`Copy it now. It will not be shown again.`} />
        ) : (
          <div className={styles.create}>
            <SelectField
              label={t`Works for`}
              value={days}
              options={LIFETIMES.map(({ value, label }) => ({ value, label: t(label) }))}
              onChange={setDays}
            />
            <Button variant="primary" disabled={isOff || creation.isPending} onClick={() => creation.mutate(Number(days))}>
              {creation.isPending && <Spinner />} <Trans>Create link</Trans>
            </Button>
          </div>
        )}
        {creation.error && <Notice tone="danger">{creation.error.message}</Notice>}
        {error && <LoadFailure error={error} onRetry={refetch} />}
        {shares && shares.length > 0 && (
          <section className={styles.links}>
            <h3 className={styles.heading}>
              <Trans>Links of this conversation</Trans>
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

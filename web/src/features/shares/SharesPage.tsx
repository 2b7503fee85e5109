import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { installationSettingsQuery, sharesQuery, useSetLinkSharing } from "@/data/shares";
import { currentUserQuery, hasRole } from "@/data/users";
import type { LinkSharingJson } from "@/gen/echomind/public/v1/system_pb";
import { SelectField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { ShowMore } from "@/ui/ShowMore";
import { READERS } from "./share-words";
import { ShareRows } from "./ShareRows";
import styles from "./SharesPage.module.css";

/** The user's shares, and for superadmins the setting for who may open links. */
export function SharesPage() {
  const { t } = useLingui();
  const { data: user } = useQuery(currentUserQuery);
  const pages = useInfiniteQuery(sharesQuery);
  const { data, error, refetch } = pages;
  const shares = data?.pages.flatMap(({ sessionShares = [] }) => sessionShares);
  return (
    <Page title={t`Shared conversations`} section={t`Settings`} description={t`Conversations of yours that others can read, by a link or by name, as they were when you shared them.`}>
      {user && hasRole(user, "ROLE_SUPERADMIN") && <ReadersSetting />}
      <QueryView error={error} onRetry={refetch} isPending={!shares} label={t`Loading shared conversations`} />
      {shares && <ShareRows shares={shares} />}
      <ShowMore of={pages} />
    </Page>
  );
}

/** Who may open links, for the whole installation. */
function ReadersSetting() {
  const { t } = useLingui();
  const { data: settings } = useQuery(installationSettingsQuery);
  const change = useSetLinkSharing();
  if (!settings) return null;
  return (
    <div className={styles.setting}>
      <SelectField
        label={t`Who may open share links`}
        hint={t`For the whole installation, including existing links. The last one also stops sharing by name.`}
        value={settings.linkSharing ?? "LINK_SHARING_ANYONE"}
        options={READERS.map(({ value, label }) => ({ value, label: t(label) }))}
        onChange={(value) => change.mutate(value as LinkSharingJson)}
      />
      {change.error && <Notice tone="danger">{change.error.message}</Notice>}
    </div>
  );
}

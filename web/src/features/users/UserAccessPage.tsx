import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { displayName, userAccessQuery, userQuery } from "@/data/users";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { oneOf, useSearchState } from "@/ui/search-state";
import { ShowMore } from "@/ui/ShowMore";
import { Tabs } from "@/ui/Tabs";
import { reasonOf } from "./people/access";

const KINDS = ["connector", "document", "assistant", "notebook", "knowledge"] as const;
const TABS = [
  { value: "connector", label: msg`Sources` },
  { value: "document", label: msg`Documents` },
  { value: "assistant", label: msg`Assistants` },
  { value: "notebook", label: msg`Notebooks` },
  { value: "knowledge", label: msg`Knowledge` },
] as const;
const CODECS = { kind: oneOf(KINDS, "connector") };

/** What a person sees in their own lists, for superadmins. */
export function UserAccessPage({ id }: { id: string }) {
  const { t } = useLingui();
  const [{ kind }, setState] = useSearchState(CODECS);
  const { data: user, error, refetch } = useQuery(userQuery(id));
  const found = useInfiniteQuery(userAccessQuery(id, kind));
  const items = found.data?.pages.flatMap((page) => page.items ?? []);
  const name = user ? displayName(user) : "";
  const failure = error ?? found.error;
  return (
    <Page
      title={name ? t`What ${name} sees` : t`What a person sees`}
      section={t`Administration`}
      parents={[{ href: "/admin/people", label: t`People` }]}
      description={t`Their own lists, by the same rules: names and no contents. Looking at them is recorded in the audit log.`}
    >
      {user && !user.isActive && <Notice tone="info">{t`The account is deactivated: the person sees nothing.`}</Notice>}
      <Tabs label={t`Kind`} tabs={TABS.map(({ value, label }) => ({ value, label: t(label) }))} value={kind} onChange={(next) => setState({ kind: next })}>
        <QueryView error={failure} onRetry={() => Promise.all([refetch(), found.refetch()])} isPending={!items} label={t`Loading`} />
        {items && (
          <Rows label={t`What the person sees`} whenEmpty={t`Nothing of this kind.`}>
            {items.map((item) => (
              <Row key={item.id} name={item.name ?? ""} facts={[reasonOf(t, kind, item.reason ?? "")]} />
            ))}
          </Rows>
        )}
        <ShowMore of={found} />
      </Tabs>
    </Page>
  );
}

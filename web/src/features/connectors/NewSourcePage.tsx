import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { serverWords } from "@/api/error-words";
import { connectorTypesQuery } from "@/data/sources";
import { useCurrentUser, hasRole } from "@/data/users";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { text, useSearchState } from "@/ui/search-state";
import { SourceForm } from "./source/SourceForm";

const VIEW = { type: text() };

/** Adds a source: first its type, then its settings. */
export function NewSourcePage() {
  const { t } = useLingui();
  const [{ type }] = useSearchState(VIEW);
  const { data, error, refetch } = useQuery(connectorTypesQuery);
  const user = useCurrentUser();
  // Collections for uploads are created in the list of sources; server folders require the role superadmin.
  const types = data?.filter(({ syncedBy, role = "ROLE_USER" }) => !syncedBy || hasRole(user, role));
  const chosen = types?.find(({ name }) => name === type);
  const parents = [{ href: "/sources", label: t`Connectors` }, ...(chosen ? [{ href: "/sources/new", label: t`Add connector` }] : [])];
  return (
    <Page title={chosen?.title ?? t`Add connector`} parents={parents} description={chosen?.description}>
      <QueryView error={error} onRetry={refetch} isPending={!types} label={t`Loading the kinds of connectors`} />
      {types && !chosen && (
        <Rows label={t`Kinds of connectors`} whenEmpty={t`No kind of connector is installed.`}>
          {types.map(({ name = "", title = name, description = "", unavailableReason = "" }) => (
            <Row key={name} name={title} href={`/sources/new?type=${name}`} facts={[serverWords(unavailableReason) || description]} />
          ))}
        </Rows>
      )}
      {chosen?.unavailableReason && <Notice tone="warn">{serverWords(chosen.unavailableReason)}</Notice>}
      {chosen && !chosen.unavailableReason && <SourceForm key={chosen.name} type={chosen} />}
      {types && type && !chosen && (
        <Notice tone="warn">
          <Trans>This kind of connector is not installed here.</Trans>
        </Notice>
      )}
    </Page>
  );
}

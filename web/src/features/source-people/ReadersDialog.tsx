import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useReaders } from "@/data/connectors";
import { readersQuery } from "@/data/source-people";
import { hasRole, useCurrentUser } from "@/data/users";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import type { DocumentReaderJson, SourcePrincipalKindJson } from "@/gen/echomind/public/v1/source_permission_pb";
import { Badge } from "@/ui/Badge";
import { Dialog } from "@/ui/Dialog";
import { type ByMember, ofMember } from "@/ui/members";
import { QueryView } from "@/ui/QueryView";
import { Account } from "./people/Account";
import { isMapped } from "./people/labels";
import { PersonActions } from "./people/PersonActions";
import { PersonName } from "./people/PersonName";
import styles from "./people/source-people.module.css";

interface ReadersDialogProps {
  documentId: string;
  connector: ConnectorJson;
  onClose: () => void;
}

/** The readers of a document at its source and their accounts; for those who manage its source. */
export function ReadersDialog({ documentId, connector, onClose }: ReadersDialogProps) {
  const { t } = useLingui();
  const readersOf = useReaders();
  const { data, error, refetch } = useQuery(readersQuery(documentId));
  const isSuperadmin = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  const { readers = [] } = data ?? {};
  const unmapped = readers.filter(({ kind, mapping }) => kind === "SOURCE_PRINCIPAL_KIND_USER" && !isMapped(mapping)).length;
  return (
    <Dialog title={t`Who can read this`} isWide onClose={onClose}>
      <QueryView error={error} onRetry={refetch} isPending={!data} label={t`Loading the readers`} />
      {data && (
        <>
          <p className={styles.hint}>{t`These people and groups can read it in the connected system. To read it here, the connector must also be visible to them: ${readersOf(connector)}.`}</p>
          {unmapped > 0 && (
            <p className={styles.hint}>
              <Plural value={unmapped} one="# person has no account here and cannot read it." other="# people have no account here and cannot read it." />
            </p>
          )}
          {readers.length === 0 && (
            <p>
              <Trans>Nobody: the connected system allows no person that EchoMind knows, or did not report its readers.</Trans>
            </p>
          )}
          <ul className={styles.readers} aria-label={t`Who can read this`}>
            {readers.map((reader) => (
              <li key={reader.key} className={styles.reader}>
                <Reader reader={reader} />
                {isSuperadmin && reader.kind === "SOURCE_PRINCIPAL_KIND_USER" && reader.mapping !== "SOURCE_PERSON_MAPPING_EMAIL" && (
                  <PersonActions person={reader} />
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

function Reader({ reader }: { reader: DocumentReaderJson }) {
  const { t } = useLingui();
  const { key = "", kind, name = "", email = "", accounts = 0, mapping, userName, isOutdated = false } = reader;
  const kinds: ByMember<SourcePrincipalKindJson, string | undefined> = {
    SOURCE_PRINCIPAL_KIND_USER: undefined,
    SOURCE_PRINCIPAL_KIND_GROUP: t`Group`,
    SOURCE_PRINCIPAL_KIND_TENANT: t`Whole organization`,
    SOURCE_PRINCIPAL_KIND_ANONYMOUS: t`Everybody`,
  };
  const label = ofMember(kinds, kind);
  return (
    <div>
      {kind === "SOURCE_PRINCIPAL_KIND_ANONYMOUS" ? <PersonName name={t`Everybody`} /> : <PersonName name={name} email={email} principal={key} />}
      <span className={styles.facts}>
        {kind === "SOURCE_PRINCIPAL_KIND_USER" && <Account mapping={mapping} userName={userName} />}
        {label && <Badge tone="neutral">{label}</Badge>}
        {label && <Plural value={accounts} one="# account" other="# accounts" />}
        {isOutdated && <Badge tone="warn">{t`Members outdated`}</Badge>}
      </span>
    </div>
  );
}

import { Plural, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { membersQuery } from "@/data/documents";
import { formatBytes } from "@/ui/format";
import { DocumentStatusBadge } from "../list/DocumentStatusBadge";
import { nameOf } from "../list/labels";
import styles from "./view.module.css";

/** The files within a document: attachments of an e-mail, files of an archive. Nothing for other documents. */
export function Members({ id }: { id: string }) {
  const { t } = useLingui();
  const { data: members = [] } = useQuery(membersQuery(id));
  if (members.length === 0) return null;
  return (
    <section className={styles.members} aria-label={t`Files in this document`}>
      <h2>
        <Plural value={members.length} one="# file in it" other="# files in it" />
      </h2>
      <ul>
        {members.map((member) => (
          <li key={member.id}>
            <Link href={`/documents/${member.id ?? ""}`}>{nameOf(member)}</Link>
            <span>{formatBytes(Number(member.sizeBytes ?? 0))}</span>
            <DocumentStatusBadge document={member} />
          </li>
        ))}
      </ul>
    </section>
  );
}

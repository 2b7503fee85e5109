import { useLingui } from "@lingui/react/macro";
import type { SourcePersonMappingJson } from "@/gen/echomind/public/v1/source_permission_pb";
import { Badge } from "@/ui/Badge";
import { isMapped, mappingOf } from "./labels";
import styles from "./source-people.module.css";

interface AccountProps {
  mapping: SourcePersonMappingJson | undefined;
  userName: string | undefined;
}

/** The account of a person of a source, and how they are mapped. */
export function Account({ mapping, userName = "" }: AccountProps) {
  const { t } = useLingui();
  const shown = mappingOf(mapping);
  return (
    <span className={styles.account}>
      {isMapped(mapping) && userName && <span>{userName}</span>}
      {shown && <Badge tone={shown.tone}>{t(shown.label)}</Badge>}
    </span>
  );
}

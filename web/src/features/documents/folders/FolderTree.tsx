import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight, Folder, Library } from "lucide-react";
import { useState, type ReactNode } from "react";
import { mayManage, useReaders } from "@/data/connectors";
import { foldersQuery } from "@/data/documents";
import { useCurrentUser } from "@/data/users";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import type { DocumentCountJson } from "@/gen/echomind/public/v1/document_pb";
import { IconButton } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { formatNumber } from "@/ui/format";
import { CollectionMenu } from "./CollectionMenu";
import styles from "./FolderTree.module.css";

/** Selected folder; empty for all. */
interface Place {
  source: readonly string[];
  folder: string;
}

interface FolderTreeProps {
  connectors: readonly ConnectorJson[];
  counts: readonly DocumentCountJson[];
  place: Place;
  onChoose: (place: Place) => void;
}

/** The collections with the folders in them, which are read when they are opened. */
export function FolderTree({ connectors, counts, place, onChoose }: FolderTreeProps) {
  const { t } = useLingui();
  const readersOf = useReaders();
  const user = useCurrentUser();
  const isAll = place.source.length === 0;
  return (
    <nav className={styles.tree} aria-label={t`Collections and folders`}>
      <ul className={styles.list}>
        <li>
          <div className={styles.row}>
            <span className={styles.space} />
            <button type="button" className={styles.choice} aria-current={isAll ? "true" : undefined} onClick={() => onChoose({ source: [], folder: "" })}>
              <Library size={15} aria-hidden /> <span>{t`All documents`}</span>
            </button>
          </div>
        </li>
        {connectors.map((connector) => {
          const id = String(connector.id);
          const count = Number(counts.find(({ value }) => value === id)?.documents ?? 0);
          return (
            <Branch
              key={id}
              connectorId={connector.id ?? 0}
              path=""
              label={connector.name ?? ""}
              title={readersOf(connector)}
              count={count}
              place={place}
              onChoose={onChoose}
              actions={connector.type === "CONNECTOR_TYPE_FILE" && mayManage(user, connector) && <CollectionMenu connector={connector} />}
            />
          );
        })}
      </ul>
    </nav>
  );
}

interface BranchProps {
  connectorId: number;
  path: string;
  label: string;
  title?: string;
  count: number;
  place: Place;
  onChoose: (place: Place) => void;
  actions?: ReactNode;
}

function Branch({ connectorId, path, label, title, count, place, onChoose, actions }: BranchProps) {
  const { t } = useLingui();
  const isHere = place.source.length === 1 && place.source[0] === String(connectorId);
  // If several collections are selected, each is marked, but none of their folders.
  const isChosen = path ? isHere && place.folder === path : place.source.includes(String(connectorId)) && place.folder === "";
  const [isToggled, setToggled] = useState<boolean>();
  const isOpen = isToggled ?? (isHere && (path === "" || place.folder.startsWith(`${path}/`)));
  const { data: folders } = useQuery({ ...foldersQuery(connectorId, path), enabled: isOpen });
  return (
    <li>
      <div className={styles.row}>
        <IconButton
          label={isOpen ? t`Close ${label}` : t`Open ${label}`}
          aria-expanded={isOpen}
          className={classes(styles.toggle, isOpen && styles.open)}
          onClick={() => setToggled(!isOpen)}
        >
          <ChevronRight size={14} />
        </IconButton>
        <button
          type="button"
          className={styles.choice}
          title={title}
          aria-current={isChosen ? "true" : undefined}
          onClick={() => onChoose({ source: [String(connectorId)], folder: path })}
        >
          <Folder size={15} aria-hidden /> <span>{label}</span>
          <small>{count > 0 ? formatNumber(count) : ""}</small>
        </button>
        {actions}
      </div>
      {isOpen && folders && folders.length > 0 && (
        <ul className={styles.list}>
          {folders.map((folder) => (
            <Branch
              key={folder.path}
              connectorId={connectorId}
              path={folder.path ?? ""}
              label={folder.name ?? ""}
              count={Number(folder.documents ?? 0)}
              place={place}
              onChoose={onChoose}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

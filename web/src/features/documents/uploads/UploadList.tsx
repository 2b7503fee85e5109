import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Check, CircleAlert, RotateCcw, X } from "lucide-react";
import { Button, IconButton } from "@/ui/Button";
import { formatBytes } from "@/ui/format";
import { useUploads } from "../UploadsProvider";
import type { Upload } from "./uploads";
import styles from "./UploadList.module.css";

/** The files that are being uploaded. Stored ones are in the list of documents. */
export function UploadList() {
  const { t } = useLingui();
  const [items, uploads] = useUploads();
  if (items.length === 0) return null;
  const stored = items.filter((item) => item.state === "stored").length;
  return (
    <div className={styles.box}>
      <div className={styles.head}>
        <p role="status">
          <Plural value={items.length} one={`${stored} of # file uploaded`} other={`${stored} of # files uploaded`} />
        </p>
        {stored > 0 && (
          <Button size="sm" variant="ghost" onClick={() => uploads.clearStored()}>
            <Trans>Clear uploaded</Trans>
          </Button>
        )}
      </div>
      <ul className={styles.list}>
        {items.map((item) => (
          <li key={item.key} className={styles.item}>
            <UploadState item={item} />
            <span className={styles.path} title={item.path}>
              {item.path}
            </span>
            <span className={styles.detail}>{item.error || formatBytes(item.file.size)}</span>
            {item.state === "failed" && (
              <IconButton label={t`Retry ${item.path}`} onClick={() => uploads.retry(item.key)}>
                <RotateCcw size={15} />
              </IconButton>
            )}
            {item.state !== "stored" && (
              <IconButton label={t`Remove ${item.path}`} onClick={() => uploads.remove(item.key)}>
                <X size={15} />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function UploadState({ item: { state, sent, path } }: { item: Upload }) {
  const { t } = useLingui();
  if (state === "stored") return <Check size={16} className={styles.stored} aria-label={t`Uploaded`} />;
  if (state === "failed") return <CircleAlert size={16} className={styles.failed} aria-label={t`Failed`} />;
  return <progress className={styles.progress} value={sent} aria-label={t`Upload of ${path}`} />;
}

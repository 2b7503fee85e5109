import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { downloadUrl } from "@/api/routes";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import { Notice } from "@/ui/Notice";
import { nameOf } from "../list/labels";
import styles from "./view.module.css";

/** An image, no larger than its frame. */
export function ImageView({ document }: { document: DocumentJson }) {
  const { t } = useLingui();
  const [isBroken, setBroken] = useState(false);
  const url = downloadUrl(document.id ?? "");
  if (isBroken) return <Notice tone="info">{t`This browser does not show images of this type. Download it to look at it.`}</Notice>;
  return <img className={styles.image} src={url} alt={nameOf(document)} onError={() => setBroken(true)} />;
}

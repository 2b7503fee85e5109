import { useLingui } from "@lingui/react/macro";
import { Notice } from "@/ui/Notice";

/** Stands for the text of a document without one, and says whether it will come. */
export function NoText({ isFailed }: { isFailed: boolean }) {
  const { t } = useLingui();
  const text = isFailed ? t`The document could not be read. Download it to open it elsewhere.` : t`The text is not ready yet.`;
  return <Notice tone="info">{text}</Notice>;
}

import { useLingui } from "@lingui/react/macro";
import { Check, CircleAlert, Copy } from "lucide-react";
import { IconButton } from "./Button";
import { useCopy } from "./use-copy";

interface CopyButtonProps {
  /** Its label: `Copy answer`. */
  label: string;
  /** Returns the text to copy. */
  text: () => string;
  className?: string | undefined;
}

/** Copies a text and shows the result. */
export function CopyButton({ label, text, className }: CopyButtonProps) {
  const { t } = useLingui();
  const [state, copy] = useCopy();
  const words = { idle: label, copied: t`Copied`, failed: t`The browser refused to copy` }[state];
  const Icon = { idle: Copy, copied: Check, failed: CircleAlert }[state];
  return (
    <IconButton label={words} className={className} onClick={() => copy(text())}>
      <Icon size={16} />
    </IconButton>
  );
}

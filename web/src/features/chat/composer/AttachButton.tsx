import { useLingui } from "@lingui/react/macro";
import { Paperclip } from "lucide-react";
import { useRef } from "react";
import { IconButton } from "@/ui/Button";

/** Opens the browser's dialog for files to ask with. */
export function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const { t } = useLingui();
  const ref = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={ref}
        type="file"
        multiple
        hidden
        aria-label={t`Files to attach`}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // Reset, so that choosing the same file again fires a change event.
          target.value = "";
        }}
      />
      <IconButton label={t`Attach files`} onClick={() => ref.current?.click()}>
        <Paperclip size={17} />
      </IconButton>
    </>
  );
}

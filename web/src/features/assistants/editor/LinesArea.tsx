import { useState } from "react";
import { TextArea } from "@/ui/Field";

interface LinesAreaProps {
  label: string;
  hint: string;
  /** The initial text. */
  lines: string;
  onLines: (text: string) => void;
}

/** A text area for lines, which keeps its text as typed when the parsed lines differ. */
export function LinesArea({ label, hint, lines, onLines }: LinesAreaProps) {
  const [text, setText] = useState(lines);
  return (
    <TextArea
      label={label}
      hint={hint}
      rows={2}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        onLines(event.target.value);
      }}
    />
  );
}

import { useState } from "react";
import { TextArea } from "@/ui/Field";

interface LinesAreaProps {
  label: string;
  hint: string;
  /** The text to begin with. */
  lines: string;
  onLines: (text: string) => void;
}

/** A text of lines that stays as it is written, whatever is made of it. */
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

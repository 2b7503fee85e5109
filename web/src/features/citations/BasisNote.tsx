import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { AnswerBasisJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { type ByMember, ofMember } from "@/ui/members";
import styles from "./BasisNote.module.css";

const WORDS: ByMember<AnswerBasisJson, MessageDescriptor | undefined> = {
  ANSWER_BASIS_SOURCES: undefined, // they are listed
  ANSWER_BASIS_NO_SOURCE_FOUND: msg`No source found`,
  ANSWER_BASIS_MODEL_ONLY: msg`From the model alone, without your documents`,
  ANSWER_BASIS_OTHER: msg`From web pages, knowledge, memories or tools, not from your documents`,
};

interface BasisNoteProps {
  basis: AnswerBasisJson | undefined;
  /** Names of the tools besides those of documents whose results the answer was written after. */
  tools?: readonly string[];
}

/** Says what an answer without sources stands on, and which other tools were used; sources are listed instead. */
export function BasisNote({ basis, tools = [] }: BasisNoteProps) {
  const { t } = useLingui();
  const words = ofMember(WORDS, basis);
  const names = tools.join(", ");
  return (
    <>
      {words && <p className={styles.note}>{t(words)}</p>}
      {names && <p className={styles.note}>{t`Also used: ${names}`}</p>}
    </>
  );
}

import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { ArrowUpRight } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { useAssistants } from "@/data/assistants";
import { connectorsQuery, isGuide } from "@/data/connectors";
import { newestDocumentsQuery } from "@/data/documents";
import { notebookSummaryQuery } from "@/data/notebooks";
import { hasRole, useCurrentUser } from "@/data/users";
import { lazyPart } from "@/ui/lazy-part";
import styles from "./Welcome.module.css";

const SetupChecklist = lazyPart(async () => (await import("@/features/setup/SetupChecklist")).SetupChecklist);

/** The default greeting of a new installation's assistant, translated. */
const SEEDED: Readonly<Record<string, MessageDescriptor>> = {
  "Answers from your documents, with sources.": msg`Answers from your documents, with sources.`,
  "How do I add my documents?": msg`How do I add my documents?`,
  "Which kinds of files can I add?": msg`Which kinds of files can I add?`,
  "How do I connect a language model?": msg`How do I connect a language model?`,
};

interface WelcomeProps {
  /** 0 means the usual one of new conversations. */
  assistantId: number;
  /** The notebook whose sources are asked, so that questions about other documents make no sense; empty for none. */
  notebookId: string;
  /** Whether the built-in model answers, which finds sentences about a question, and no dates and figures of a whole document. */
  isExtractive: boolean;
  onAsk: (content: string) => void;
}

/** Starters that only those can follow who manage the installation. */
const FOR_SUPERADMINS: ReadonlySet<string> = new Set(["How do I connect a language model?"]);
/** Longer names make no question that reads well. */
const LONGEST_NAME = 60;
const MAX_STARTERS = 4;

/**
 * Questions to begin with: in a notebook those of its summary; elsewhere those about the reader's newest documents, then
 * those of the assistant that fit the reader's role.
 */
function useStarters(ofAssistant: readonly string[], notebookId: string, isExtractive: boolean): readonly string[] {
  const { t } = useLingui();
  const isSuperadmin = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  const { data: connectors = [] } = useQuery({ ...connectorsQuery, enabled: !notebookId });
  const own = connectors.filter((connector) => !isGuide(connector)).map(({ id = 0 }) => id);
  const { data: documents = [] } = useQuery({ ...newestDocumentsQuery(own), enabled: own.length > 0 });
  const texts = documents.filter(({ contentType = "" }) => !contentType.startsWith("image/"));
  const [first, second] = texts.map(({ title = "", fileName = "" }) => title || fileName).filter((name) => name.length <= LONGEST_NAME);
  const about = [first && t`What are the main points of “${first}”?`, second && !isExtractive ? t`Which dates and figures does “${second}” have?` : undefined].filter((each) => each !== undefined);
  const isUseful = (starter: string) => isSuperadmin || !FOR_SUPERADMINS.has(starter);
  const { data: summary } = useQuery({ ...notebookSummaryQuery(notebookId), enabled: notebookId !== "" });
  if (summary?.questions?.length) return summary.questions;
  return [...about, ...ofAssistant.filter(isUseful)].slice(0, MAX_STARTERS);
}

/** The conversation before its first question. */
export function Welcome({ assistantId, notebookId, isExtractive, onAsk }: WelcomeProps) {
  const { t } = useLingui();
  const { assistant } = useAssistants(assistantId);
  const { firstName } = useCurrentUser();
  const starters = useStarters(assistant?.starterMessages ?? [], notebookId, isExtractive);
  const translated = (written: string) => (SEEDED[written] ? t(SEEDED[written]) : written);
  return (
    <div className={styles.welcome}>
      <h2 className={styles.greeting}>{firstName ? t`What would you like to know, ${firstName}?` : t`What would you like to know?`}</h2>
      <p className={styles.text}>{assistant?.description ? translated(assistant.description) : t`Answers come from your documents, with their sources.`}</p>
      <ul className={styles.starters}>
        {starters.map((starter) => (
          <li key={starter}>
            {/* As it was written: the guide, which answers the seeded ones, is in English. */}
            <button type="button" className={styles.starter} onClick={() => onAsk(starter)}>
              {translated(starter)}
              <ArrowUpRight size={15} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      <SetupChecklist />
    </div>
  );
}
